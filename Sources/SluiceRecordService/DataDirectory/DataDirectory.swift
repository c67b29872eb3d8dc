import CShims
import Foundation
import Glibc
import SluiceRecords

/// The directory of one embedded service: its database, the files of records, and the lock of the process that serves it.
package struct DataDirectory: Sendable {
    package let path: String
    package var databasePath: String { path + "/records.sqlite" }
    package var assetsPath: String { path + "/assets" }
    /// Where commands tell the process that serves what they changed.
    var changesPath: String { path + "/changes" }

    package init(path: String) { self.path = path }

    /// Makes the directory, 0700, and the database with a new epoch.
    package func create(environment: StorageEnvironment = .system) throws(DataDirectoryError) -> SQLiteRecordStorage {
        guard !FileManager.default.fileExists(atPath: databasePath) else {
            throw DataDirectoryError(.exists, path, "holds a record service already; issue a token there, or name another directory")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DataDirectoryError(.cannotUse, path, "cannot be made: \(error.localizedDescription)")
        }
        return try openStorage(environment)
    }

    /// Opens what `create` made.
    /// - Parameter serves: the process answers requests, and wants to know what commands change meanwhile; false for a command.
    package func open(
        readers: Int = 2, serves: Bool = false, environment: StorageEnvironment = .system
    ) throws(DataDirectoryError) -> SQLiteRecordStorage {
        try checkExists()
        return try openStorage(environment, readers: readers, changes: serves ? .heard(changesPath) : .told(changesPath))
    }

    /// The folder of files, made where it is missing.
    /// - Parameter isServed: another process may be receiving files; without that, what an earlier one left half received is cleared.
    package func assets(isServed: Bool = false) throws(DataDirectoryError) -> FileAssetStore {
        do { return try FileAssetStore(folder: assetsPath, clearsIncoming: !isServed) } catch { throw DataDirectoryError(.cannotUse, path, error.description) }
    }

    /// Keeps a second process from serving the same directory, for the life of the returned value. The lock goes with the process.
    package func lock() throws(DataDirectoryError) -> ServiceLock {
        try checkExists()
        return try lockWhole()
    }

    /// The same also where there is no service yet.
    func lockWhole() throws(DataDirectoryError) -> ServiceLock {
        let descriptor = sluice_open(path + "/service.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataDirectoryError(.cannotUse, path, "the lock file cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DataDirectoryError(.inUse, path, "is served by another process; stop that one first")
        }
        return ServiceLock(descriptor: descriptor)
    }

    /// Keeps a process that wants the directory for itself out, and lets others share it.
    func shareLock() throws(DataDirectoryError) -> (lock: ServiceLock, isAlone: Bool) {
        let descriptor = sluice_open(path + "/service.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw DataDirectoryError(.cannotUse, path, "the lock file cannot be opened: \(String(cString: strerror(errno)))")
        }
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        // From alone to shared there is a moment without a lock, in which somebody may take it whole.
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            close(descriptor)
            throw DataDirectoryError(.inUse, path, "is served by another process; stop that one first")
        }
        return (ServiceLock(descriptor: descriptor), isAlone)
    }

    private func checkExists() throws(DataDirectoryError) {
        guard FileManager.default.fileExists(atPath: databasePath) else {
            throw DataDirectoryError(.missing, path, "holds no record service; make one with: sluice-records init --data \(path)")
        }
    }

    private func openStorage(
        _ environment: StorageEnvironment, readers: Int = 2, changes: ChangePipe? = nil
    ) throws(DataDirectoryError) -> SQLiteRecordStorage {
        do {
            return try SQLiteRecordStorage.open(path: databasePath, readers: readers, changes: changes, environment: environment)
        } catch {
            throw DataDirectoryError(.cannotUse, path, "\(error)")
        }
    }
}

/// Held while a process serves a data directory.
package final class ServiceLock: Sendable {
    private let descriptor: Int32
    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
}

/// Why a data directory cannot be used.
package struct DataDirectoryError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable { case missing, exists, inUse, cannotUse }

    package let code: Code
    package let path: String
    package let detail: String

    init(_ code: Code, _ path: String, _ detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    package var description: String { "\(path) \(detail)" }
}
