package import SluiceRecords
import SluiceSQLite

/// Copies of a service's file, as somebody makes them who restores one.
package enum ServiceCopy {
    /// Copies the file at `path`, its log included, to a new one.
    package static func make(of path: String, at copy: String) throws(StorageError) {
        do { try Connection.copyDatabase(from: path, to: copy, checking: .pages) } catch { throw StorageError(error) }
    }

    /// Gives the file at `path`, which no service has open, a new timeline: what a restore that is announced does.
    package static func begin(_ epoch: Epoch, at path: String) throws(StorageError) {
        do {
            try Connection(path: path, mode: .readWrite).run("UPDATE service SET epoch = ?", [SQLiteValue(bits: epoch.rawValue)])
        } catch {
            throw StorageError(error)
        }
    }
}
