// A backup is a folder of its own that can be opened as it is:
//
//     Notes.store.backups/1.0.0-20261130T201500Z/Notes.store
//     Notes.store.backups/1.0.0-20261130T201500Z/.Notes_SUPPORT/…   values in files, as further names of the same files
//
// It is made under another name and checked before it gets its own, so that a folder without `.partial` is whole.

package import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite

/// One backup of a store.
package struct StoreBackup: Hashable, Sendable {
    /// The copy of the store.
    package let path: String

    /// How many backups of a store are kept; older ones go when another is made.
    package static let keptCount = 3

    /// Copies the store at `path`, its unwritten log included, and checks the copy.
    /// - Parameter label: what the backup is of, for people: the schema's version.
    /// - Throws: `BackupFailure`; nothing is left of the attempt then.
    @discardableResult
    package static func make(of path: String, label: String, at now: Date = Date()) throws -> StoreBackup {
        let folder = self.folder(ofStore: path)
        let name = "\(label)-\(timestamp(now))"
        let partial = "\(folder)/.\(name).partial"
        do {
            let turn = try takeTurn(folder)
            defer { close(turn) }
            try removeAttempts(in: folder)
            try FileManager.default.createDirectory(
                atPath: partial, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let copy = "\(partial)/\(URL(filePath: path).lastPathComponent)"
            try copyStore(from: path, to: copy)
            try linkExternalValues(from: path, to: copy)
            try check(copy)
            let place = "\(folder)/\(try unusedName(name, in: folder))"
            guard rename(partial, place) == 0, fsync(turn) == 0 else { throw ExternalWriteFailure.last("giving its name to", place) }
            try prune(folder)
            return StoreBackup(path: "\(place)/\(URL(filePath: path).lastPathComponent)")
        } catch {
            // What remains of the attempt is no use to anybody; the error says what happened.
            try? FileManager.default.removeItem(atPath: partial)
            throw BackupFailure(path: path, reason: error, neededByteCount: byteCount(path))
        }
    }

    /// Every backup of the store at `path`, the oldest first.
    package static func all(of path: String) throws -> [StoreBackup] {
        let name = URL(filePath: path).lastPathComponent
        return try names(in: folder(ofStore: path)).map { StoreBackup(path: "\(folder(ofStore: path))/\($0)/\(name)") }
    }

    private static func folder(ofStore path: String) -> String { "\(path).backups" }

    // MARK: Making one

    /// One process after the other: two that are about to migrate a store back it up at the same time.
    /// - Returns: a descriptor of the folder, which holds its lock until it is closed.
    private static func takeTurn(_ folder: String) throws -> Int32 {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExternalWriteFailure.last("opening", folder) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                defer { close(descriptor) }
                throw ExternalWriteFailure.last("locking", folder)
            }
        }
        return descriptor
    }

    /// Who has the turn makes the only one: any other is of a process that was killed.
    private static func removeAttempts(in folder: String) throws {
        for name in try ExternalFolder.names(in: folder) where name.hasPrefix(".") && name.hasSuffix(".partial") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    private static func copyStore(from path: String, to copy: String) throws {
        let source = try Connection(path: path, mode: .readOnly)
        let destination = try Connection(path: copy, mode: .create)
        try source.backUp(into: destination)
        // One file that says everything, without a log of its own.
        try destination.execute("PRAGMA journal_mode = DELETE")
    }

    private static func check(_ copy: String) throws {
        let connection = try Connection(path: copy, mode: .readOnly)
        let faults = try connection.integrityFaults()
        guard faults.isEmpty else { throw StoreError.damaged(path: copy, faults: faults) }
        try StoreHeader.check(connection)
        guard chmod(copy, 0o600) == 0 else { throw ExternalWriteFailure.last("setting the mode of", copy) }
    }

    /// Values in files never change, so a further name is a copy; where the file system has no such names they are copied.
    private static func linkExternalValues(from path: String, to copy: String) throws {
        guard let source = ExternalValues(besideStore: path)?.folder, let target = ExternalValues(besideStore: copy)?.folder else { return }
        for part in try ExternalFolder.names(in: source) where ExternalReference.isFolderName(part) {
            try FileManager.default.createDirectory(atPath: "\(target)/\(part)", withIntermediateDirectories: true)
            for file in try ExternalFolder.names(in: "\(source)/\(part)") where ExternalReference.isDigest(file) {
                let (from, to) = ("\(source)/\(part)/\(file)", "\(target)/\(part)/\(file)")
                if link(from, to) != 0 { try FileManager.default.copyItem(atPath: from, toPath: to) }
            }
        }
    }

    // MARK: Names

    private static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }

    /// Backups of one second have numbers, which only grow: the newest is not to be taken for the oldest.
    private static func unusedName(_ name: String, in folder: String) throws -> String {
        let others = try names(in: folder).filter { $0 == name || $0.hasPrefix("\(name)-") }
        guard let last = others.map({ age($0).number }).max() else { return name }
        return "\(name)-\(last + 1)"
    }

    private static func age(_ name: String) -> (stamp: String, number: Int) {
        let parts = name.split(separator: "-")
        // `1.0.0-20261130T201500Z`, or with a number behind it.
        let stamp = parts.dropFirst().first { $0.hasSuffix("Z") } ?? ""
        return (String(stamp), parts.last.flatMap { Int($0) } ?? 1)
    }

    private static func names(in folder: String) throws -> [String] {
        try ExternalFolder.names(in: folder).filter { !$0.hasPrefix(".") }.sorted { age($0) < age($1) }
    }

    private static func prune(_ folder: String) throws {
        for name in try names(in: folder).dropLast(keptCount) { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
    }

    static func byteCount(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// Why a store could not be backed up.
package struct BackupFailure: Error, CustomStringConvertible {
    package let path: String
    package let reason: any Error
    /// About as much as a backup takes.
    package let neededByteCount: Int

    package var description: String {
        let mebibytes = (neededByteCount + 1_048_575) / 1_048_576
        return "\(path) could not be backed up (\(reason)): a backup needs about \(mebibytes) MiB beside the store. The store was left as it is"
    }
}
