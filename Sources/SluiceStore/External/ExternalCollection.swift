// Garbage: files that no row and no old value refers to. They are left by changes whose old values were pruned from the log, by
// transactions that came to nothing, and by crashes.
//
// - A file younger than an hour stays: a transaction that will refer to it may be under way in a store that shares the folder, and a
//   helper may still read the state before the change.
// - Removing takes the store's write lock, which every transaction that writes a value holds from before it writes the file until its
//   commit.
// - Stores of one folder (the numbered local stores of a group container, `Notes.store` and `Notes.sqlite`) are all asked. One that
//   cannot be read keeps everything.

package import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite

extension Store {
    /// How long a file stays that nothing refers to.
    package static let externalFileAge: TimeInterval = 3_600

    /// Removes external values that are no longer needed, and returns how many files went. To be called after the log was pruned, outside a
    /// transaction. Cheap where there is no old file; else every row's columns of bytes are looked at, not their contents.
    @discardableResult
    package func collectExternalValues() throws -> Int {
        // Mostly there is nothing to collect; then nobody has to wait for the lock.
        guard try !unneededExternalFiles().isEmpty else { return 0 }
        return try connection.transaction { try removeExternalFiles(try unneededExternalFiles()) }
    }

    /// Files that no store of the folder refers to, and that are old enough to go.
    package func unneededExternalFiles() throws -> [ExternalFile] {
        guard let folder = externalFolder else { return [] }
        let old = try folder.files(writtenBefore: externalBound)
        guard !old.isEmpty else { return [] }
        let needed = try ExternalReferences(connection: connection).digests()
        let unneeded = old.filter { file in file.digest.map { !needed.contains($0) } ?? true }
        guard !unneeded.isEmpty, let others = try digestsNeededByOthers() else { return [] }
        return unneeded.filter { file in file.digest.map { !others.contains($0) } ?? true }
    }

    /// Removes those of the files that are still old. Returns how many went.
    package func removeExternalFiles(_ files: [ExternalFile]) throws -> Int {
        guard let folder = externalFolder else { return 0 }
        let bound = externalBound
        return try files.count { try folder.remove($0, writtenBefore: bound) }
    }

    private var externalFolder: ExternalFolder? { externalWriter.map { ExternalFolder(path: $0.values.folder) } }
    private var externalBound: Date { now().addingTimeInterval(-Self.externalFileAge) }

    /// What other stores with the same folder need; nil where one of them cannot be asked.
    private func digestsNeededByOthers() throws -> Set<String>? {
        guard let folder = externalFolder?.path, let slash = folder.lastIndex(of: "/") else { return [] }
        let directory = String(folder[..<slash])
        let folderName = folder[folder.index(after: slash)...]
        var digests: Set<String> = []
        for name in try ExternalFolder.names(in: directory.isEmpty ? "/" : directory) {
            guard ExternalValues.folderName(ofStore: name) == folderName, !Self.isSidecar(name) else { continue }
            let path = "\(directory)/\(name)"
            guard Self.isFile(path), !isThisStore(path) else { continue }
            guard let found = Self.digests(inStoreAt: path) else { return nil }
            digests.formUnion(found)
        }
        return digests
    }

    private static func isSidecar(_ name: String) -> Bool { ["-wal", "-shm", "-journal"].contains(where: name.hasSuffix) }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private func isThisStore(_ other: String) -> Bool {
        var (own, status) = (stat(), stat())
        return stat(path, &own) == 0 && stat(other, &status) == 0 && (own.st_dev, own.st_ino) == (status.st_dev, status.st_ino)
    }

    /// Empty for a file that is no store of ours.
    private static func digests(inStoreAt path: String) -> Set<String>? {
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            try StoreHeader.check(connection)
            return try ExternalReferences(connection: connection).digests()
        } catch StoreHeader.Fault.notAStore {
            return []
        } catch let error as SQLiteError where ResultCode.notADatabase ~= error.code {
            return []
        } catch {
            return nil
        }
    }
}
