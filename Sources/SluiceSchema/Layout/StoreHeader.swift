// How a file says what it is, before anybody knows its schema:
//
// PRAGMA application_id   `SLUC`: the file is a store of ours
// PRAGMA user_version     the format of the header tables
// _sluice_store           key, value: `schema` is the canonical encoding of the schema that the file holds
//
// The writer (SluiceStore) and every reader go through here, so that both refuse the same files.

package import SluiceSQLite

package enum StoreHeader {
    /// `SLUC`.
    package static let applicationID: Int64 = 0x534C_5543
    package static let format: Int64 = 1

    package enum Fault: Error, Hashable, Sendable {
        case notAStore
        case formatIsNewer(Int)
        case schemaIsMissing
    }

    /// - Throws: `Fault` where the file is no store, or one of a format that this program does not know.
    package static func check(_ connection: Connection) throws {
        guard try connection.integer("PRAGMA application_id") == applicationID else { throw Fault.notAStore }
        let found = try connection.integer("PRAGMA user_version")
        guard found <= format else { throw Fault.formatIsNewer(Int(found)) }
    }

    /// The schema that the file holds.
    package static func schema(in connection: Connection) throws -> Schema {
        guard let bytes = try value("schema", in: connection)?.blob else { throw Fault.schemaIsMissing }
        return try Schema(canonicalEncoding: bytes)
    }

    /// What the file's owner keeps under `key`; nil where it keeps nothing.
    package static func value(_ key: String, in connection: Connection) throws(SQLiteError) -> SQLiteValue? {
        try connection.value("SELECT value FROM _sluice_store WHERE key = ?", [.text(key)])
    }
}
