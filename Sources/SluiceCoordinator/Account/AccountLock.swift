import CShims
import Foundation
import Glibc

/// The right to sync one account: an exclusive lock on its `coordinator.lock`, held until this value is released.
///
/// The kernel drops the lock with the process, however it ends. The file's text is the holder's process number, for the one who is refused.
final class AccountLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `CoordinatorError.alreadyRunning` where another process, or this one, holds it.
    init(_ directory: StateDirectory, account: String) throws {
        descriptor = sluice_open(directory.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CoordinatorError.directoryUnusable(path: directory.lockPath, detail: StateDirectory.errorText())
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.holder(in: descriptor)
            close(descriptor)
            throw CoordinatorError.alreadyRunning(account: account, holder: holder)
        }
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
            close(descriptor)
            throw CoordinatorError.directoryUnusable(path: directory.lockPath, detail: StateDirectory.errorText())
        }
    }

    deinit { close(descriptor) }

    private static func holder(in descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
