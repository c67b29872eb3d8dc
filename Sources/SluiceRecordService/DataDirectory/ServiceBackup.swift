import CShims
import Foundation
import Glibc
import SluiceRecords
import SluiceSQLite

extension DataDirectory {
    /// Copies database and files into a new directory, while the service runs or not. The copy is a data directory: whoever starts a service on
    /// it has the state of one moment, at which no record lacks its files.
    ///
    /// The copy is a timeline of its own: with the epoch of the original, a service that is put back to it would look to a device like one that
    /// never had the device's last writes.
    ///
    /// The database comes first: a file that one of its records names stays in its place for a day after the last such record. Files never
    /// change, so they are linked where the copy is on the same disk.
    /// - Returns: how many files were copied or linked.
    /// - Throws: `DataDirectoryError`, `DatabaseCopyFailure`; nothing is left at `target` then.
    package func backUp(to target: String) throws -> Int {
        guard FileManager.default.fileExists(atPath: databasePath) else {
            throw DataDirectoryError(.missing, path, "holds no record service")
        }
        guard !FileManager.default.fileExists(atPath: target) else {
            throw DataDirectoryError(.exists, target, "is there already; name a new directory")
        }
        let partial = "\(target).partial-\(UInt64.random(in: .min ... .max))"
        guard mkdir(partial, 0o700) == 0 else { throw DataDirectoryError(.cannotUse, partial, "cannot be made: \(String(cString: strerror(errno)))") }
        do {
            let copy = DataDirectory(path: partial)
            try Connection.copyDatabase(from: databasePath, to: copy.databasePath)
            guard chmod(copy.databasePath, 0o600) == 0 else { throw Self.failure(copy.databasePath, "cannot be closed to others") }
            try ServiceCopy.begin(Epoch(rawValue: .random(in: .min ... .max)), at: copy.databasePath)
            let count = try copyFiles(to: copy)
            try Self.settle(partial)
            guard rename(partial, target) == 0 else { throw Self.failure(target, "cannot be named") }
            try Self.settle((target as NSString).deletingLastPathComponent)
            return count
        } catch {
            // The first error is the one to tell; what cannot be removed is named as partial.
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }

    private func copyFiles(to copy: DataDirectory) throws -> Int {
        var folders: Set<String> = []
        var count = 0
        let connection = try Connection(path: copy.databasePath, mode: .readOnly)
        try connection.forEachRow("SELECT database, lower(hex(id)), uses FROM asset ORDER BY database, id") { row in
            let relative = "\(row.integer(0))/\(row.text(1).prefix(2))"
            let (source, target) = ("\(assetsPath)/\(relative)/\(row.text(1))", "\(copy.assetsPath)/\(relative)/\(row.text(1))")
            if folders.insert(relative).inserted {
                try FileManager.default.createDirectory(
                    atPath: "\(copy.assetsPath)/\(relative)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            if link(source, target) != 0 {
                // One that no record refers to may have been collected since.
                if errno == ENOENT, row.integer(2) == 0 { return }
                guard errno != ENOENT else { throw DataDirectoryError(.cannotUse, source, "is not there, and a record refers to it; run: sluice-records check") }
                try FileManager.default.copyItem(atPath: source, toPath: target)
                try Self.settle(target)
            }
            count += 1
        }
        for folder in folders {
            try Self.settle("\(copy.assetsPath)/\(folder)")
            try Self.settle((("\(copy.assetsPath)/\(folder)") as NSString).deletingLastPathComponent)
        }
        if !folders.isEmpty { try Self.settle(copy.assetsPath) }
        return count
    }

    /// Puts a file's bytes or a folder's names on disk.
    static func settle(_ path: String) throws(DataDirectoryError) {
        let descriptor = sluice_open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw failure(path, "cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path, "cannot be put on disk") }
    }

    static func failure(_ path: String, _ what: String) -> DataDirectoryError {
        DataDirectoryError(.cannotUse, path, "\(what): \(String(cString: strerror(errno)))")
    }
}
