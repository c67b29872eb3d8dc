import CSQLite

/// What SQLite refused, to which file, in which statement.
///
/// The statement is the SQL text with its placeholders, never the bound values: those belong to the user.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The extended result code.
    package let code: ResultCode
    /// SQLite's own words for it.
    package let message: String
    /// The SQL that was being prepared or run, where there was one.
    package let statement: String?
    /// The file of the connection; empty for a store in memory.
    package let path: String

    package init(code: ResultCode, message: String, statement: String? = nil, path: String) {
        self.code = code
        self.message = message
        self.statement = statement
        self.path = path
    }

    /// Whether the same call may succeed later without anybody changing anything.
    package var isRetryable: Bool {
        switch code {
        case .busy, .locked: true
        default: false
        }
    }

    init(_ code: Int32, on handle: OpaquePointer?, statement: String?, path: String) {
        let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        self.init(code: ResultCode(rawValue: code), message: message, statement: statement, path: path)
    }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        var text = "\(path.isEmpty ? "store in memory" : path): \(message) (SQLite code \(code.rawValue))"
        if let statement { text += " in: \(statement)" }
        if let advice { text += ". \(advice)" }
        return text
    }

    /// What a person can do about it.
    private var advice: String? {
        switch code {
        case .busy, .locked: "Another process holds the store; it is tried again."
        case .full: "The disk or the quota is full: make room, then try again."
        case .corrupt, .notADatabase: "The file is damaged or no SQLite store: restore a backup; nothing was changed."
        case .readOnly, .permission: "This process may not write the file: check its owner and mode."
        case .cannotOpen: "Check that the file exists and that its directory may be entered."
        default: nil
        }
    }
}
