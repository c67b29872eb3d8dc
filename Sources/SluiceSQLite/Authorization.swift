// Statements whose text somebody else wrote: SQLite tells what they would read and call while it prepares them, and whoever prepares them
// says whether they may.

import CSQLite

extension Connection {
    /// What a statement does, as SQLite tells while it is prepared.
    package enum Access: Hashable, Sendable {
        /// Reads a column; the column's name is empty where only rows are counted.
        case read(table: String, column: String)
        case call(function: String)
        /// Is a query, or has one inside.
        case query
        /// Anything else, by SQLite's number for it: writing, pragmas, recursion.
        case other(Int32)
    }

    /// Prepares a statement of which `isAllowed` is asked about everything that it does.
    /// - Throws: `SQLiteError`, also where something is not allowed.
    package func prepare(_ sql: String, _ isAllowed: (Access) -> Bool) throws(SQLiteError) -> Statement {
        try withoutActuallyEscaping(isAllowed) { escapable throws(SQLiteError) -> Statement in
            let judge = AccessJudge(escapable)
            sqlite3_set_authorizer(
                handle,
                { context, action, first, second, _, _ in
                    guard let context else { return SQLITE_DENY }
                    // SQLite asks while the judge is alive: within the call below.
                    let judge = Unmanaged<AccessJudge>.fromOpaque(context).takeUnretainedValue()
                    return judge.isAllowed(Connection.access(action, first, second)) ? SQLITE_OK : SQLITE_DENY
                }, Unmanaged.passUnretained(judge).toOpaque())
            defer {
                sqlite3_set_authorizer(handle, nil, nil)
                withExtendedLifetime(judge) {}
            }
            return try Statement(sql, on: handle, path: path, persistent: false)
        }
    }

    private static func access(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Access {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return switch action {
        case SQLITE_READ: .read(table: text(first), column: text(second))
        case SQLITE_FUNCTION: .call(function: text(second))
        case SQLITE_SELECT: .query
        default: .other(action)
        }
    }

    /// Takes a name in double quotes that is no column for a mistake, not for a text.
    package func refuseTextInDoubleQuotes() throws(SQLiteError) {
        let code = sluice_sqlite3_refuse_double_quoted_text(handle)
        guard code == SQLITE_OK else { throw SQLiteError(code, on: handle, statement: nil, path: path) }
    }
}

private final class AccessJudge {
    let isAllowed: (Connection.Access) -> Bool

    init(_ isAllowed: @escaping (Connection.Access) -> Bool) { self.isAllowed = isAllowed }
}
