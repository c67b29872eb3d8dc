// One numbered local store, open for writing. Besides what SluiceReader reads (`generation`, `synced`) its settings hold what connects it
// with the synced store, written in the transaction of the rows:
//
// source      the identifier of the synced store it was filled from
// position    the position in that store's change log that it shows
// projection  schema version and projections it was filled by, as text

import FoundationEssentials
import Glibc
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// An open local store. Owned by a `LocalStoreWriter`, used on the account's executor.
final class LocalStore {
    let file: LocalStoreFile
    let store: Store
    let path: String

    private enum Key {
        static let source = "source"
        static let position = "position"
        static let projection = "projection"
    }

    /// Opens the store, or fills an empty file with its tables.
    init(_ file: LocalStoreFile, in directory: GroupDirectory, schema: Schema, busyTimeout: Duration) throws {
        self.file = file
        path = directory.path(of: file)
        var options = Store.Options(zone: schema.name)
        options.capturesChanges = false
        options.busyTimeout = busyTimeout
        store = try Store(path: path, schema: schema, options: options)
        try store.connection.execute(RankedRows.table)
    }

    var generation: Int64 { get throws { try store.setting(LocalStoreFile.Key.generation)?.integer ?? 0 } }
    var position: Int64? { get throws { try store.setting(Key.position)?.integer } }
    var lastSync: Date? { get throws { try store.setting(LocalStoreFile.Key.synced)?.integer.map(Date.init(milliseconds:)) } }

    func set(generation: Int64) throws { try store.set(.integer(generation), for: LocalStoreFile.Key.generation) }
    func set(position: Int64) throws { try store.set(.integer(position), for: Key.position) }
    func set(lastSync: Date?) throws { try store.set(SQLiteValue(lastSync?.milliseconds), for: LocalStoreFile.Key.synced) }

    var freshness: String? { get throws { try store.setting(LocalStoreFile.Key.freshness)?.text } }
    func set(freshness: String?) throws { try store.set(SQLiteValue(freshness), for: LocalStoreFile.Key.freshness) }

    func set(source: UUID, projection: String) throws {
        try store.set(.text(source.uuidString), for: Key.source)
        try store.set(.text(projection), for: Key.projection)
    }

    func isFilled(from source: UUID) throws -> Bool { try store.setting(Key.source)?.text == source.uuidString }
    func isFilled(by projection: String) throws -> Bool { try store.setting(Key.projection)?.text == projection }

    // MARK: The log

    /// Bytes of the write-ahead log as it lies on disk.
    var logByteCount: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Empties the log, waiting for readers at most `patience`. Returns whether it is empty.
    func emptyLog(patience: Duration, usual: Duration) throws -> Bool {
        store.connection.setBusyTimeout(patience)
        defer { store.connection.setBusyTimeout(usual) }
        return try !store.connection.checkpoint().isBlocked
    }
}
