import CShims
import Foundation
import Glibc
import SluiceDigest
package import SluicePostgreSQL

/// Where a service keeps everything: in a data directory; or its rows on a PostgreSQL server, and only the files of its records in the directory,
/// which all its processes share then.
package struct ServicePlace: Sendable {
    package let directory: DataDirectory
    /// Nil: the rows are in the directory too.
    package let target: PostgreSQLTarget?

    package init(directory: DataDirectory, target: PostgreSQLTarget? = nil) {
        self.directory = directory
        self.target = target
    }

    /// Makes a service, with a new epoch.
    package func create() throws -> any RecordStorage {
        guard let target else { return try directory.create() }
        guard try !PostgreSQLRecordStorage.exists(target) else {
            throw DataDirectoryError(.exists, target.text, "holds a record service already; issue a token there, or name another database")
        }
        return try PostgreSQLRecordStorage.open(target, creates: true, connections: .few)
    }

    /// Opens what `create` made.
    /// - Parameter connections: on a server; nil for a command, which does one thing after the other.
    package func open(connections: PostgreSQLRecordStorage.Connections? = nil) throws -> any RecordStorage {
        guard let target else { return try directory.open(readers: connections == nil ? 1 : 2, serves: connections != nil) }
        guard try PostgreSQLRecordStorage.exists(target) else {
            throw DataDirectoryError(
                .missing, target.text, "holds no record service; make one with: sluice-records init --storage \(target.text)")
        }
        return try PostgreSQLRecordStorage.open(target, creates: false, connections: connections ?? .few)
    }

    /// The right to serve, for the life of the returned value. In a directory one process has it; processes on a server share theirs.
    /// - Returns: the lock, and whether nobody else has one on this directory.
    package func lock() throws(DataDirectoryError) -> (lock: ServiceLock, isAlone: Bool) {
        if target == nil { return (try directory.lock(), true) }
        try makeDirectory()
        return try directory.shareLock()
    }

    /// The folder of files.
    /// - Parameters:
    ///   - storage: whose files they are. The folder remembers: with another service's files in it, upkeep would take them for nobody's.
    ///   - isServed: another process may be receiving files.
    package func assets(of storage: any RecordStorage, isServed: Bool) throws(DataDirectoryError) -> FileAssetStore {
        if target != nil {
            try makeDirectory()
            try claim(storage)
        }
        return try directory.assets(isServed: isServed)
    }

    private func makeDirectory() throws(DataDirectoryError) {
        guard !FileManager.default.fileExists(atPath: directory.databasePath) else {
            throw DataDirectoryError(.exists, directory.path, "holds an embedded service; name another directory for the files of this one: --data DIRECTORY")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DataDirectoryError(.cannotUse, directory.path, "cannot be made: \(error.localizedDescription)")
        }
    }

    private func claim(_ storage: any RecordStorage) throws(DataDirectoryError) {
        let path = directory.path + "/service.id"
        // The key opens files, so the name is not the key.
        let name = Digest.sha256(Data("files of ".utf8) + storage.assetKey).prefix(16).hexadecimal
        do {
            return try SecretFiles.create(path, mode: 0o600, name + "\n")
        } catch {
            guard error.code == .exists else { throw error }
        }
        let found = try SecretFiles.read(path, isSecret: false).trimmingCharacters(in: .whitespacesAndNewlines)
        guard found == name else {
            throw DataDirectoryError(.cannotUse, directory.path, "holds the files of another service; name another directory: --data DIRECTORY")
        }
    }
}
