// Puts a backup in a store's place. Whatever happens on the way, the store's path has the old store or the restored one, whole:
//
// 1. The account's lock, where a coordinator keeps the store; then the turn in the backups' folder.
// 2. The backup is copied, checked and made ready (RestoredState): its own bytes never change.
// 3. The store is opened so that nobody else can. Its log goes into the file, so that none is left to be replayed into another.
// 4. The store is copied to a backup of its own, from that same connection: nothing can come between the copy and the end of the original.
// 5. Values in files are brought beside the store; values of nobody go with its upkeep.
// 6. The contents are replaced in one transaction of SQLite.
//
// Where SQLite cannot read what is in the store's place, its files are moved into the backup as they are, and the copy gets its name by
// rename.

package import Foundation
import Glibc
import SluiceFailpoints
import SluiceSchema
import SluiceSQLite

/// What a restore did.
package struct RestoreResult: Sendable {
    /// The store's former contents; nil where there was nothing in its place.
    package let kept: StoreBackup?
    /// Whether the copy that was kept is damaged, as the store was.
    package let keptIsDamaged: Bool
    /// Records with changes that were never sent, and that are in the copy that was kept only.
    package let unsentCount: Int
    /// Whether the store is a synced one: the next sync brings it up to date.
    package let isSynced: Bool
}

extension StoreBackup {
    /// Puts this backup in the place of the store at `path`, whose contents are kept as another backup first.
    ///
    /// No program may have the store open, no coordinator may run its account. A synced store becomes another device of its user.
    /// - Throws: `RestoreFailure`; the store is then as it was.
    @discardableResult
    package func restore(to path: String, at now: Date = Date()) throws -> RestoreResult {
        do { return try StoreRestore(backup: self, path: path, now: now).run() } catch let failure as RestoreFailure {
            throw failure
        } catch {
            let needed = 2 * Self.byteCount(path) + Self.byteCount(self.path)
            throw RestoreFailure(path: path, reason: Self.reason(error, neededByteCount: needed))
        }
    }

    private static func reason(_ error: any Error, neededByteCount: Int) -> RestoreFailure.Reason {
        switch error {
        case let error as DatabaseCopyFailure where error.isDiskFull: .diskFull(neededByteCount: neededByteCount)
        case let error as SQLiteError where ResultCode.full ~= error.code: .diskFull(neededByteCount: neededByteCount)
        case let error as ExternalWriteFailure where error.code == ENOSPC || error.code == EDQUOT:
            .diskFull(neededByteCount: neededByteCount)
        case let error as SQLiteError where ResultCode.busy ~= error.code || ResultCode.locked ~= error.code: .inUse
        case StoreError.notAStore: .notAStore
        default: .failed(error)
        }
    }
}

/// One run.
private struct StoreRestore {
    let backup: StoreBackup
    let path: String
    let now: Date

    private var name: String { URL(filePath: path).lastPathComponent }

    func run() throws -> RestoreResult {
        let owner = try checkBackup()
        let lock = try RestoreLock(besideStore: path, isOwned: owner != nil)
        defer { withExtendedLifetime(lock) {} }
        let folder = try BackupFolder(ofStore: path)
        try folder.removeAttempts()
        let place = "\(folder.path)/.restore.partial"
        // A later run removes what stays.
        defer { try? FileManager.default.removeItem(atPath: place) }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let prepared = "\(place)/\(name)"
        try copyBackup(to: prepared)
        guard FileManager.default.fileExists(atPath: path) else { return try replaceFiles(by: prepared, folder) }
        var attempt: (result: RestoreResult, line: String)?
        do {
            // A connection that may write would remove the log of a file that it then cannot read.
            _ = try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM sqlite_master")
            let target = try Connection.exclusive(path)
            try checkTarget(target, owner)
            attempt = try keep(target, prepared, folder)
            try target.replaceContents(with: Connection(path: prepared, mode: .readOnly))
        } catch {
            guard let attempt else {
                guard Self.isDamage(error) else { throw error }
                return try replaceFiles(by: prepared, folder)
            }
            try verify(attempt.line, after: error)
        }
        Failpoint.pass(.restored)
        guard let attempt else { throw RestoreFailure(path: path, reason: .inUse) }
        return attempt.result
    }

    /// A disk that fails in the last step of a commit may have made it all the same.
    private func verify(_ line: String, after error: any Error) throws {
        // Where nobody can tell, the first error is the one to tell.
        guard let target = try? Connection.exclusive(path), (try? StoreHeader.value(RestoredState.lineKey, in: target)?.text) == line
        else { throw error }
        // What is there is to be on the disk too: another commit puts it there, or says that it cannot.
        do { try target.run("UPDATE _sluice_store SET value = value WHERE key = ?", [.text(RestoredState.lineKey)]) } catch {
            throw RestoreFailure(path: path, reason: .notDurable(error))
        }
    }

    /// - Returns: the owner that the backup's store names.
    private func checkBackup() throws -> String? {
        guard FileManager.default.fileExists(atPath: backup.path) else {
            throw RestoreFailure(path: path, reason: .badBackup("there is no \(backup.path)"))
        }
        do {
            let connection = try Connection(path: backup.path, mode: .readOnly)
            try Store.checkKind(connection)
            return try StoreHeader.value("owner", in: connection)?.text
        } catch { throw RestoreFailure(path: path, reason: .badBackup("\(error)")) }
    }

    private func copyBackup(to prepared: String) throws {
        do { try Connection.copyDatabase(from: backup.path, to: prepared) } catch let failure as DatabaseCopyFailure {
            guard case .damaged(let faults) = failure.reason else { throw failure }
            throw RestoreFailure(path: path, reason: .badBackup(faults.first ?? "damaged"))
        }
    }

    private func checkTarget(_ target: Connection, _ owner: String?) throws {
        do { try Store.checkKind(target) } catch StoreError.formatIsNewer {
            // A newer program's store is what may have to be replaced.
        }
        if let owner, let other = try StoreHeader.value("owner", in: target)?.text, other != owner {
            throw RestoreFailure(path: path, reason: .otherOwner(owner))
        }
    }

    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: ResultCode.corrupt ~= error.code || ResultCode.notADatabase ~= error.code
        case let error as DatabaseCopyFailure:
            switch error.reason {
            case .damaged: true
            case .sqlite, .system: false
            }
        case StoreError.damaged: true
        default: false
        }
    }

    // MARK: A store that can be read

    /// Everything but the replacing.
    private func keep(_ target: Connection, _ prepared: String, _ folder: BackupFolder) throws -> (RestoreResult, line: String) {
        let state = try RestoredState(at: prepared, from: backup.date ?? now, replacing: target, at: now)
        let kept = try StoreBackup.make(of: path, BackupName(label: StoreBackup.Kind.beforeRestore.rawValue, at: now), in: folder) {
            try target.copyDatabase(to: $0)
        }
        Failpoint.pass(.restoreKept)
        try state.prepare()
        try bringExternalValues(neededBy: Connection(path: prepared, mode: .readOnly))
        return (RestoreResult(kept: kept, keptIsDamaged: false, unsentCount: state.unsentCount, isSynced: state.isSynced), state.line)
    }

    private func bringExternalValues(neededBy source: Connection) throws {
        guard let values = ExternalValues(besideStore: path), let others = ExternalValues(besideStore: backup.path) else { return }
        try ExternalValueWriter(values, besideStore: path).bringAll(neededBy: source, from: others)
    }

    // MARK: One that cannot, or none

    private func replaceFiles(by prepared: String, _ folder: BackupFolder) throws -> RestoreResult {
        guard !FileUse.isOpen(path) else { throw RestoreFailure(path: path, reason: .inUse) }
        let state = try RestoredState(at: prepared, from: backup.date ?? now, replacing: nil, at: now)
        try state.prepare()
        try bringExternalValues(neededBy: Connection(path: prepared, mode: .readOnly))
        let kept = try moveFiles(folder)
        Failpoint.pass(.restoreKept)
        guard rename(prepared, path) == 0 else { throw RestoreFailure(path: path, reason: .system("giving it its name", errno)) }
        try folder.synchronize(BackupFolder.directory(of: path))
        Failpoint.pass(.restored)
        return RestoreResult(kept: kept, keptIsDamaged: kept != nil, unsentCount: 0, isSynced: state.isSynced)
    }

    /// The store's own file keeps its name until the rename takes it. Its log must be gone by then: it would be replayed into the other
    /// store.
    private func moveFiles(_ folder: BackupFolder) throws -> StoreBackup? {
        let found = ["", "-wal", "-journal"].filter { FileManager.default.fileExists(atPath: path + $0) }
        defer { unlink("\(path)-shm") }
        guard !found.isEmpty else { return nil }
        let place = try folder.making(BackupName(label: StoreBackup.Kind.beforeRestore.rawValue, at: now)) { partial in
            for suffix in found where link(path + suffix, "\(partial)/\(name)\(suffix)") != 0 {
                throw RestoreFailure(path: path, reason: .system("keeping \(name)\(suffix)", errno))
            }
        }
        for suffix in found where !suffix.isEmpty {
            guard unlink(path + suffix) == 0 else { throw RestoreFailure(path: path, reason: .system("removing \(name)\(suffix)", errno)) }
        }
        try folder.synchronize(BackupFolder.directory(of: path))
        return StoreBackup(path: "\(place)/\(name)")
    }
}
