// A store is a file that knows its own schema. The header tables, present in every store:
//
// _sluice_store   key, value: `schema` (canonical encoding), `checksum` (SHA-256 of the shape), `store` (UUID of the file), `owner`
// _sluice_table   number, name: numbers for the change log; a number is never given to another table
//
// PRAGMA application_id says that the file is ours, PRAGMA user_version the format of the header tables.
//
// A Store is used on one executor, its owner's. Readers open their own connections (SluiceReader, or Store with `.readOnly`).

package import Foundation
package import SluiceSQLite
package import SluiceSchema
import SluiceDigest

/// One open store: rows, their change log and the schema they follow.
package final class Store {
    package let path: String
    package let layout: StoredSchema
    /// The file's own identity, made with it.
    package let identifier: UUID
    package let connection: Connection
    /// Numbers of `layout.tables` in the change log.
    package let tableNumbers: [Int64]
    /// Whether changes are logged.
    package let capturesChanges: Bool
    /// Set while a write transaction of ours runs.
    var isCapturing = false
    /// Set in a store that lives inside a migration: what its writes are logged under, whoever asks for them.
    let fixedOrigin: ChangeOrigin?
    /// The first write inside a migration that failed. Its remains are in the transaction, which must not be committed.
    var failedWrite: (any Error)?
    var isWritingInMigration = false
    /// Set once the migration has gone on to another schema.
    var isRetired = false
    let now: @Sendable () -> Date
    package var naming: RecordNaming
    var insertStatements: [String: InsertStatement] = [:]
    /// nil for a store in memory.
    package private(set) lazy var externalWriter = makeExternalWriter()
    private let externalFolder: String?
    /// By table.
    var decoders: [Int: RowDecoder] = [:]
    /// What `traces(of:)` asks; it names every table.
    private(set) lazy var tracesQuery = Self.tracesQuery(in: layout)

    package struct Options {
        /// Whether changes are logged. The local store that helpers read is filled from a log and has none of its own.
        package var capturesChanges = true
        /// Recorded in a new file; a file with another owner is refused.
        package var owner: String?
        /// The namespace of record names.
        package var zone: String
        /// How long a call waits for another process's lock.
        package var busyTimeout: Duration = .seconds(5)
        package var now: @Sendable () -> Date = { Date() }
        package var random: RandomSource = .system
        /// Where large values lie, for a store that has another name than it will have; nil: in the folder beside it.
        package var externalFolder: String?

        package init(zone: String) { self.zone = zone }
    }

    /// Opens the store at `path`, or makes it there with `schema`.
    /// - Throws: `StoreError` where the file holds something else, `SQLiteError` where it cannot be used. The file is then left as it was.
    package convenience init(path: String, schema: Schema, options: Options) throws {
        let isChecked = try Self.checkBeforeWriting(path, schema: schema, options: options)
        let connection = try Connection(path: path, mode: .create, busyTimeout: options.busyTimeout)
        let isNew = try connection.integer("SELECT count(*) FROM sqlite_master") == 0
        if !isNew, !isChecked { try Self.check(connection, schema: schema, owner: options.owner) }
        try Self.configure(connection)
        if isNew { try StoreDefinition(layout: StoredSchema(schema), options: options).create(in: connection) }
        try TextFunctions.install(on: connection)
        try self.init(connection, path: path, schema: schema, options: options, fixedOrigin: nil)
        try guardLayout()
    }

    /// A store over a connection whose file holds `schema`.
    init(_ connection: Connection, path: String, schema: Schema, options: Options, fixedOrigin: ChangeOrigin?) throws {
        self.connection = connection
        self.path = path
        self.fixedOrigin = fixedOrigin
        layout = StoredSchema(schema)
        now = options.now
        externalFolder = options.externalFolder
        naming = RecordNaming(zone: options.zone, now: options.now, random: options.random)
        identifier = try Self.identifier(of: connection)
        let numbers = Dictionary(
            try connection.rows("SELECT name, number FROM _sluice_table") { ($0.text(0), $0.integer(1)) },
            uniquingKeysWith: { first, _ in first })
        tableNumbers = layout.tables.compactMap { numbers[$0.name] }
        capturesChanges = try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = '_sluice_capture'") == 1
    }

    /// The path of a store that lives in memory, for as long as it is open.
    package static let memoryPath = ":memory:"

    private func makeExternalWriter() -> ExternalValueWriter? {
        guard path != Self.memoryPath else { return nil }
        let values = externalFolder.map { ExternalValues(folder: $0) } ?? ExternalValues(besideStore: path)
        return values.map { ExternalValueWriter($0, besideStore: path) }
    }

    /// WAL, with every acknowledged commit on disk.
    static func configure(_ connection: Connection) throws {
        // A store in memory has no log to keep.
        if connection.path != memoryPath { try connection.keepWriteAheadLog() }
        try connection.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -24576;
            """)
    }

    /// Looks at a file that is there through a connection that only reads. One that may write empties the log into the file when it goes, and then
    /// whoever is refused has changed a file that a killed program left behind.
    private static func checkBeforeWriting(_ path: String, schema: Schema, options: Options) throws -> Bool {
        guard path != memoryPath, FileManager.default.fileExists(atPath: path) else { return false }
        let connection = try Connection(path: path, mode: .readOnly, busyTimeout: options.busyTimeout)
        guard try connection.integer("SELECT count(*) FROM sqlite_master") > 0 else { return false }
        try check(connection, schema: schema, owner: options.owner)
        return true
    }

    /// The schema that the file at `path` holds; nil where there is no such file, and where whoever began to make one was killed before it
    /// held anything.
    package static func schema(at path: String) throws -> Schema? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let connection = try Connection(path: path, mode: .readOnly)
        guard try connection.integer("SELECT count(*) FROM sqlite_master") > 0 else { return nil }
        try checkKind(connection)
        return try schema(in: connection)
    }

    static func checkKind(_ connection: Connection) throws {
        try reading(connection) { try StoreHeader.check(connection) }
    }

    static func schema(in connection: Connection) throws -> Schema {
        try reading(connection) { try StoreHeader.schema(in: connection) }
    }

    private static func reading<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let fault as StoreHeader.Fault {
            switch fault {
            case .notAStore: throw StoreError.notAStore(path: connection.path)
            case .formatIsNewer(let format): throw StoreError.formatIsNewer(path: connection.path, format: format)
            case .schemaIsMissing: throw StoreError.damaged(path: connection.path, faults: ["the schema inside the store is missing"])
            }
        }
    }

    private static func check(_ connection: Connection, schema: Schema, owner: String?) throws {
        try checkKind(connection)
        let held = try Self.schema(in: connection)
        if held.entities != schema.entities {
            throw StoreError.schemaMismatch(path: connection.path, difference: SchemaDifference(from: held, to: schema).description)
        }
        try checkOwner(connection, owner: owner)
    }

    static func checkOwner(_ connection: Connection, owner: String?) throws {
        let holder = try connection.value("SELECT value FROM _sluice_store WHERE key = 'owner'")?.text
        if let owner, let holder, owner != holder { throw StoreError.ownedByAnother(path: connection.path, owner: holder) }
    }

    private static func identifier(of connection: Connection) throws -> UUID {
        guard let text = try connection.value("SELECT value FROM _sluice_store WHERE key = 'store'")?.text,
            let identifier = UUID(uuidString: text)
        else { throw StoreError.damaged(path: connection.path, faults: ["the store's identifier is missing"]) }
        return identifier
    }

    /// Milliseconds since 1970.
    package var nowMilliseconds: Int64 { Int64((now().timeIntervalSince1970 * 1_000).rounded()) }

    /// A value that the store's owner keeps beside the rows; written in the current transaction.
    package func setting(_ key: String) throws -> SQLiteValue? {
        try connection.value("SELECT value FROM _sluice_store WHERE key = ?", [.text(key)])
    }

    package func settings(withPrefix prefix: String) throws -> [(key: String, value: SQLiteValue)] {
        try connection.rows("SELECT key, value FROM _sluice_store WHERE substr(key, 1, ?) = ? ORDER BY key", [SQLiteValue(prefix.count), .text(prefix)]) {
            ($0.text(0), $0.value(1))
        }
    }

    package func removeSettings(withPrefix prefix: String) throws {
        try connection.run("DELETE FROM _sluice_store WHERE substr(key, 1, ?) = ?", [SQLiteValue(prefix.count), .text(prefix)])
    }

    package func set(_ value: SQLiteValue, for key: String) throws {
        try connection.run(
            "INSERT INTO _sluice_store(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2", [.text(key), value])
    }
}
