// Functions written in Swift that statements of one connection may call. They live in the connection, not in the file: a trigger, a view or
// an index never names one, so that every other program can still open and edit the file.

import CSQLite
package import FoundationEssentials

extension Connection {
    /// Makes a function that this connection's statements can call by `name`.
    ///
    /// The same arguments must always give the same value: SQLite calls it as often as it likes.
    /// - Parameters:
    ///   - argumentCount: nil for any number.
    ///   - body: runs on the connection's executor, while a statement steps. What it throws ends the statement.
    package func register(
        _ name: String, argumentCount: Int?, _ body: @escaping (borrowing SQLFunctionCall) throws -> SQLiteValue
    ) throws(SQLiteError) {
        let function = Unmanaged.passRetained(SQLFunction(body))
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount ?? -1), flags, function.toOpaque(),
            { context, count, arguments in
                guard let context, let function = sqlite3_user_data(context) else { return }
                let call = SQLFunctionCall(context: context, arguments: arguments, count: Int(count))
                do {
                    call.answer(try Unmanaged<SQLFunction>.fromOpaque(function).takeUnretainedValue().body(call))
                } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            }, nil, nil,
            { if let function = $0 { Unmanaged<SQLFunction>.fromOpaque(function).release() } })
        // SQLite lets go of the function by itself where it refuses it.
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }
}

private final class SQLFunction {
    let body: (borrowing SQLFunctionCall) throws -> SQLiteValue
    init(_ body: @escaping (borrowing SQLFunctionCall) throws -> SQLiteValue) { self.body = body }
}

/// One call of a function: its arguments, valid until it returns. Positions count from 0.
package struct SQLFunctionCall: ~Copyable {
    let context: OpaquePointer
    let arguments: UnsafeMutablePointer<OpaquePointer?>?
    package let count: Int

    private func argument(_ position: Int) -> OpaquePointer? { position < count ? arguments?[position] : nil }

    package func isNull(_ position: Int) -> Bool { sqlite3_value_type(argument(position)) == SQLITE_NULL }
    package func isText(_ position: Int) -> Bool { sqlite3_value_type(argument(position)) == SQLITE_TEXT }
    package func integer(_ position: Int) -> Int64 { sqlite3_value_int64(argument(position)) }
    package func double(_ position: Int) -> Double { sqlite3_value_double(argument(position)) }

    /// The bytes of a text, NUL included.
    package func withText<Result>(_ position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let value = argument(position)
        // The text first: asking for it may convert the value, and the count is that of the last conversion.
        let bytes = sqlite3_value_text(value)
        return body(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_value_bytes(value))))
    }

    package func text(_ position: Int) -> String { withText(position) { String(decoding: $0, as: UTF8.self) } }

    package func data(_ position: Int) -> Data {
        let value = argument(position)
        guard let bytes = sqlite3_value_blob(value) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_value_bytes(value)))
    }

    package func value(_ position: Int) -> SQLiteValue {
        switch sqlite3_value_type(argument(position)) {
        case SQLITE_INTEGER: .integer(integer(position))
        case SQLITE_FLOAT: .real(double(position))
        case SQLITE_TEXT: .text(text(position))
        case SQLITE_BLOB: .blob(data(position))
        default: .null
        }
    }

    /// What `make` gives for an argument that is the same in every call of the statement, such as a placeholder; made once for each run.
    package func prepared<Object: AnyObject>(_ position: Int, as type: Object.Type, _ make: () -> Object?) -> Object? {
        if let kept = sqlite3_get_auxdata(context, Int32(position)) { return Unmanaged<Object>.fromOpaque(kept).takeUnretainedValue() }
        guard let object = make() else { return nil }
        sqlite3_set_auxdata(context, Int32(position), Unmanaged.passRetained(object).toOpaque()) {
            if let kept = $0 { Unmanaged<AnyObject>.fromOpaque(kept).release() }
        }
        return object
    }

    /// SQLite copies the bytes before the call returns. The macro SQLITE_TRANSIENT is a cast that Swift does not import.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    func answer(_ value: SQLiteValue) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .real(let real): sqlite3_result_double(context, real)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty buffer may have no address, and a null pointer would give NULL.
                    sqlite3_result_text64(
                        context, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                if bytes.isEmpty {
                    sqlite3_result_zeroblob(context, 0)
                } else {
                    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), Self.transient)
                }
            }
        }
    }
}
