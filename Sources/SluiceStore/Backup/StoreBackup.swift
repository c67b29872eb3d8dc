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
    /// Why a backup was made. Each kind has its own bound.
    package enum Kind: String, Sendable, CaseIterable {
        /// Before a migration, by the program that migrates.
        case migration
        /// By a person's command.
        case manual
        /// What a restore replaced. None of these goes by itself: they are all that is left of their stores.
        case beforeRestore = "before-restore"
    }

    /// The copy of the store.
    package let path: String

    /// - Parameter path: the copy; it need not be there.
    package init(path: String) { self.path = path }

    /// How many backups of a kind are kept; older ones go when another of the kind is made.
    package static let keptCount = 3

    /// The name of the backup's folder: what a person calls it by.
    package var name: String { URL(filePath: path).deletingLastPathComponent().lastPathComponent }

    package var kind: Kind { BackupName(name).flatMap { Kind(rawValue: $0.label) } ?? .migration }

    /// When it was made; nil for a folder that a person named.
    package var date: Date? { BackupName(name)?.date }

    /// Copies the store at `path`, its unwritten log included, and checks the copy. The store is only read: others may use it meanwhile.
    /// - Parameter label: what the backup is of, for people: the schema's version, or the name of a kind.
    /// - Throws: `BackupFailure`; nothing is left of the attempt then.
    @discardableResult
    package static func make(of path: String, label: String, at now: Date = Date()) throws -> StoreBackup {
        try failing(for: path) {
            let folder = try BackupFolder(ofStore: path)
            try folder.removeAttempts()
            return try make(of: path, BackupName(label: label, at: now), in: folder) { try Connection.copyDatabase(from: path, to: $0) }
        }
    }

    /// Says of every failure which store was not backed up, and how much room that needs.
    static func failing(for path: String, _ body: () throws -> StoreBackup) throws -> StoreBackup {
        do { return try body() } catch let error as CancellationError {
            throw error
        } catch {
            let needed = (error as? DatabaseCopyFailure)?.neededByteCount ?? 0
            throw BackupFailure(path: path, reason: error, neededByteCount: max(needed, byteCount(path)))
        }
    }

    /// Every backup of the store at `path`, the oldest first.
    package static func all(of path: String) throws -> [StoreBackup] {
        let folder = BackupFolder.path(ofStore: path)
        let store = URL(filePath: path).lastPathComponent
        return try BackupFolder.names(in: folder).map { StoreBackup(path: "\(folder)/\($0.text)/\(store)") }
    }

    /// - Parameter copy: puts the copy at a path.
    static func make(
        of path: String, _ name: BackupName, in folder: BackupFolder, prunes: Bool = true, _ copy: (String) throws -> Void
    ) throws -> StoreBackup {
        let store = URL(filePath: path).lastPathComponent
        let place = try folder.making(name) { partial in
            let target = "\(partial)/\(store)"
            try copy(target)
            try linkExternalValues(from: path, to: target)
            try StoreHeader.check(Connection(path: target, mode: .readOnly))
            guard chmod(target, 0o600) == 0 else { throw ExternalWriteFailure.last("setting the mode of", target) }
        }
        let backup = StoreBackup(path: "\(place)/\(store)")
        if prunes { try prune(folder, backup.kind) }
        return backup
    }

    /// Values in files never change, so a further name is a copy; where the file system has no such names they are copied.
    static func linkExternalValues(from path: String, to copy: String) throws {
        guard let source = ExternalValues(besideStore: path)?.folder, let target = ExternalValues(besideStore: copy)?.folder else { return }
        for part in try ExternalFolder.names(in: source) where ExternalReference.isFolderName(part) {
            try FileManager.default.createDirectory(atPath: "\(target)/\(part)", withIntermediateDirectories: true)
            for file in try ExternalFolder.names(in: "\(source)/\(part)") where ExternalReference.isDigest(file) {
                let (from, to) = ("\(source)/\(part)/\(file)", "\(target)/\(part)/\(file)")
                if link(from, to) != 0 { try FileManager.default.copyItem(atPath: from, toPath: to) }
            }
        }
    }

    /// Removes the oldest backups of a kind.
    static func prune(_ folder: BackupFolder, _ kind: Kind) throws {
        guard kind != .beforeRestore else { return }
        let own = try BackupFolder.names(in: folder.path).filter { (Kind(rawValue: $0.label) ?? .migration) == kind }
        for name in own.dropLast(keptCount) { try folder.remove(name) }
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
        return "\(path) could not be backed up (\(reason)): a backup needs about \(neededByteCount.inMebibytes) beside the store. "
            + "The store was left as it is"
    }
}
