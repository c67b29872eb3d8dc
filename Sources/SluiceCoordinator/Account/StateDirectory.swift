// The directory that holds one account, open to the coordinator's user alone:
//
//     Private.store (-wal, -shm)   the synced store
//     .Private_SUPPORT/            its large values
//     control.sock                 the control socket
//     coordinator.lock             held by the process that runs the account; its text is that process's number
//     in-flight                    exists while work is under way, and while earlier work ended in a crash; its text is how often in a row
//     token                        a rotated user token

import CShims
import Foundation
import Glibc
import SluiceFailpoints
import SluiceGroup
import SluiceImport

/// The state directory of one account, made and checked.
package struct StateDirectory: Sendable {
    package let path: String

    package var storePath: String { Self.storePath(in: path) }
    /// The synced store of an account whose state directory that is.
    package static func storePath(in directory: String) -> String { directory + "/Private.store" }
    package var socketPath: String { path + "/control.sock" }
    var lockPath: String { path + "/coordinator.lock" }
    var inFlightPath: String { path + "/in-flight" }

    /// Makes the directory where it is absent and sets its mode to 0700, whatever the umask.
    /// - Throws: `CoordinatorError.directoryUnusable` where it belongs to another user, whose coordinator could not open what this one leaves
    ///   there.
    package init(path: String) throws(CoordinatorError) {
        self.path = path
        do { try GroupDirectory.makeParents(of: path) } catch { throw .directoryUnusable(path: path, detail: "\(error)") }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .directoryUnusable(path: path, detail: "it cannot be made (\(Self.errorText()))")
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw .directoryUnusable(path: path, detail: Self.errorText()) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .directoryUnusable(path: path, detail: "it is no directory") }
        guard status.st_uid == geteuid() else {
            let owner = DirectoryHealth.name(ofUser: status.st_uid)
            throw .directoryUnusable(path: path, detail: "it belongs to \(owner), and this coordinator runs as \(DirectoryHealth.name(ofUser: geteuid()))")
        }
        guard chmod(path, 0o700) == 0 else { throw CoordinatorError.directoryUnusable(path: path, detail: Self.errorText()) }
        let kind: String?
        do { kind = try NetworkFileSystem.name(at: path) } catch { throw CoordinatorError.directoryUnusable(path: path, detail: "\(error)") }
        if let kind { throw CoordinatorError.networkFileSystem(path: path, kind: kind) }
    }

    static func errorText() -> String { String(cString: strerror(errno)) }

    /// Writes a small file so that a reader sees the old text or the new one: temporary name, sync, rename, sync of the directory.
    /// - Parameter isDurable: whether it must survive the machine going down, and not only this process.
    func replace(_ target: String, with text: String, isDurable: Bool) throws {
        let temporary = target + ".new"
        let descriptor = sluice_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CoordinatorError.directoryUnusable(path: target, detail: Self.errorText()) }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw CoordinatorError.directoryUnusable(path: target, detail: Self.errorText()) }
            bytes = bytes.dropFirst(count)
        }
        guard !isDurable || fsync(descriptor) == 0 else {
            throw CoordinatorError.directoryUnusable(path: target, detail: Self.errorText())
        }
        Failpoint.pass(.renaming)
        guard rename(temporary, target) == 0 else { throw CoordinatorError.directoryUnusable(path: target, detail: Self.errorText()) }
        Failpoint.pass(.renamed)
        guard isDurable else { return }
        let directory = sluice_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}
