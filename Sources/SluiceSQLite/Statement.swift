// One prepared statement. Made and cached by Connection; used on the connection's executor only.
// Values that a column accessor returns are copies: they outlive the next step.

import CSQLite
package import FoundationEssentials

/// A prepared statement, between `bind`, `step` and `reset`.
package final class Statement {
    package let sql: String
    let handle: OpaquePointer
    private let database: OpaquePointer
    private let path: String
    private let bound = BoundBytes()
    /// Of one in a connection's cache: somebody runs it.
    var isLent = false

    /// SQLite copies the bytes before the call returns. The macro SQLITE_TRANSIENT is a cast that Swift does not import.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ sql: String, on database: OpaquePointer, path: String, persistent: Bool) throws(SQLiteError) {
        var handle: OpaquePointer?
        var text = sql
        let code = text.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    database, $0.baseAddress, Int32($0.count), persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &handle, nil)
            }
        }
        guard code == SQLITE_OK, let handle else {
            let failure = code == SQLITE_OK ? SQLITE_MISUSE : code
            throw SQLiteError(failure, on: database, statement: sql, path: path)
        }
        self.sql = sql
        self.handle = handle
        self.database = database
        self.path = path
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Binding. Positions count from 1, as in SQL.

    package func bind(_ value: SQLiteValue, at position: Int32) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: position)
        case .integer(let integer): try bind(integer, at: position)
        case .real(let real): try bind(real, at: position)
        case .text(let text): try bind(text, at: position)
        case .blob(let data): try bind(data, at: position)
        }
    }

    package func bindNull(at position: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, position))
    }

    package func bind(_ value: Int64, at position: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, position, value))
    }

    /// NaN becomes NULL in SQLite; a caller that must keep it stores another form.
    package func bind(_ value: Double, at position: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_double(handle, position, value))
    }

    package func bind(_ value: String, at position: Int32) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                if let kept = bound.keep(UnsafeRawBufferPointer($0)) {
                    let text = kept.assumingMemoryBound(to: CChar.self)
                    return sqlite3_bind_text64(handle, position, text, UInt64($0.count), nil, UInt8(SQLITE_UTF8))
                }
                // An empty buffer may have no address, and a null pointer would bind NULL.
                return sqlite3_bind_text64(
                    handle, position, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count), Self.transient,
                    UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    package func bind(_ value: Data, at position: Int32) throws(SQLiteError) {
        let code = value.withUnsafeBytes { bind(bytes: $0, at: position) }
        try check(code)
    }

    package func bind(_ value: UUID, at position: Int32) throws(SQLiteError) {
        try check(withUnsafeBytes(of: value.uuid) { bind(bytes: $0, at: position) })
    }

    /// Binds the columns of the row that another statement stands on, of this connection or another, in their order.
    func bind(columnsOf other: Statement) throws(SQLiteError) {
        for column in 0..<other.columnCount { try check(sqlite3_bind_value(handle, column + 1, sqlite3_column_value(other.handle, column))) }
    }

    private func bind(bytes: UnsafeRawBufferPointer, at position: Int32) -> Int32 {
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, position, 0) }
        if let kept = bound.keep(bytes) { return sqlite3_bind_blob64(handle, position, kept, UInt64(bytes.count), nil) }
        return sqlite3_bind_blob64(handle, position, bytes.baseAddress, UInt64(bytes.count), Self.transient)
    }

    // MARK: Running

    /// Advances to the next row; false when there is none.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = SQLiteError(code, on: database, statement: sql, path: path)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Makes the statement ready to run again and forgets the bound values.
    package func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        bound.forget()
    }

    // MARK: Columns. Positions count from 0, as in SQLite's column functions.

    package var columnCount: Int32 { sqlite3_column_count(handle) }
    package var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

    package func columnName(_ column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    package func isText(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_TEXT }
    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The text verbatim: NUL and lone combining marks included.
    package func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    package func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(handle, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The 16 bytes of a UUID; nil where the column holds anything else.
    package func uuid(_ column: Int32) -> UUID? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB, sqlite3_column_bytes(handle, column) == 16,
            let bytes = sqlite3_column_blob(handle, column)
        else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    package func value(_ column: Int32) -> SQLiteValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(data(column))
        default: .null
        }
    }

    package func values() -> [SQLiteValue] { (0..<columnCount).map(value) }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw SQLiteError(code, on: database, statement: sql, path: path) }
    }
}
