import Foundation
import Glibc

extension DataDirectory {
    package struct Restored: Sendable {
        package var report: ServiceCheck.Report
        /// Where what the directory held before is now; nil where it held nothing.
        package var kept: String?
    }

    /// Puts a backup in this directory's place, with a timeline of its own, so that every device notices. What was here is kept beside it.
    ///
    /// The copy is made and checked first; then the old files go aside, and the new ones come, the database last. Where that is cut off there is no
    /// database, no service starts, and the next call finishes it.
    /// - Parameter backup: a directory that `backUp` made; it stays as it is.
    /// - Throws: `DataDirectoryError`, also where this directory is in use; `BackupDamage`. Nothing has changed then.
    package func restore(from backup: DataDirectory) async throws -> Restored {
        guard backup.path != path, FileManager.default.fileExists(atPath: backup.databasePath) else {
            throw DataDirectoryError(.missing, backup.path, "holds no backup of a record service; name a directory that `sluice-records backup` made")
        }
        try makeOwn()
        let lock = try lockWhole()
        defer { withExtendedLifetime(lock) {} }
        let incoming = DataDirectory(path: "\(path)/restoring")
        // Left by an attempt that was cut off.
        if FileManager.default.fileExists(atPath: incoming.path) { try FileManager.default.removeItem(atPath: incoming.path) }
        _ = try backup.backUp(to: incoming.path)
        do {
            let report = try await incoming.check()
            guard report.faults.isEmpty else { throw BackupDamage(path: backup.path, faults: report.faults) }
            let kept = try setAside()
            // The log belongs to the database; the other file beside it is made again.
            for name in ["assets", "records.sqlite-wal"] where FileManager.default.fileExists(atPath: "\(incoming.path)/\(name)") {
                try Self.move("\(incoming.path)/\(name)", to: "\(path)/\(name)")
            }
            try Self.move(incoming.databasePath, to: databasePath)
            try Self.settle(path)
            try FileManager.default.removeItem(atPath: incoming.path)
            return Restored(report: report, kept: kept)
        } catch let damage as BackupDamage {
            try FileManager.default.removeItem(atPath: incoming.path)
            throw damage
        }
    }

    private func makeOwn() throws {
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid == geteuid() else {
            throw DataDirectoryError(.cannotUse, path, "belongs to another user; run this as that one, or the service cannot read what comes")
        }
    }

    private func check() async throws -> ServiceCheck.Report {
        let storage = try self.open(readers: 1)
        let store = try assets(isServed: true)
        let report = try await ServiceCheck(storage: storage, store: store).run(readsFiles: true)
        await storage.close()
        return report
    }

    /// - Returns: the directory that has the old files; nil where there were none.
    private func setAside() throws -> String? {
        let names = ["records.sqlite", "records.sqlite-wal", "records.sqlite-shm", "assets"].filter { FileManager.default.fileExists(atPath: "\(path)/\($0)") }
        guard !names.isEmpty else { return nil }
        let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let target = try freeName("before-restore-\(time)")
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in names { try Self.move("\(path)/\(name)", to: "\(target)/\(name)") }
        try Self.settle(target)
        return target
    }

    private func freeName(_ name: String) throws -> String {
        let names = ["\(path)/\(name)"] + (2...99).map { "\(path)/\(name)-\($0)" }
        guard let free = names.first(where: { !FileManager.default.fileExists(atPath: $0) }) else {
            throw DataDirectoryError(.exists, names[0], "and 98 more are there already; remove those that nobody needs")
        }
        return free
    }

    private static func move(_ source: String, to target: String) throws(DataDirectoryError) {
        guard rename(source, target) == 0 else { throw failure(target, "cannot be named") }
    }
}

/// A backup that is not whole.
package struct BackupDamage: Error, Sendable, CustomStringConvertible {
    package let path: String
    /// One sentence each.
    package let faults: [String]

    package var description: String { "\(path) is damaged: \(faults.count) faults; nothing was restored. Take another backup" }
}
