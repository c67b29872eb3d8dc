/// What went wrong between this process and PostgreSQL.
///
/// The statement is the SQL text with its placeholders, never the bound values: those belong to the user. A server's detail, which repeats
/// values of rows, is not kept; nor is what libpq says of a connection string that it cannot read, because a password may stand in it.
package enum PostgreSQLError: Error, Hashable, Sendable {
    /// There is no connection, or it is gone. What was under way may or may not have happened.
    case lost(String)
    /// The server refused a statement. Everything since the transaction began is undone.
    /// - Parameters:
    ///   - code: the SQLSTATE (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    ///   - message: the server's words; empty where they may repeat a value.
    ///   - constraint: the constraint that was violated, where there was one.
    case refused(code: String, message: String, constraint: String?, statement: String)
    /// A text holds a NUL, which PostgreSQL cannot keep. Found before anything is sent.
    case textWithNUL
    /// The connection string cannot be used; says why, without repeating it.
    case unusableTarget(String)

    /// Whether the same transaction may succeed when it is run again as a whole: it lost against another one.
    package var isConflict: Bool {
        if case .refused(let code, _, _, _) = self { ["40001", "40P01"].contains(code) } else { false }
    }

    /// Whether the server has too much to do, or no room: the same may succeed later.
    package var isOverload: Bool {
        guard case .refused(let code, _, _, _) = self else { return false }
        // Not enough disk, memory or connections; a lock or a statement that took too long.
        return code.hasPrefix("53") || ["55P03", "57014"].contains(code)
    }

    /// Whether the server refused this statement, and not one before it.
    package func isRefusal(of sql: String) -> Bool {
        if case .refused(_, _, _, let statement) = self { statement == sql } else { false }
    }

    /// Whether the connection that threw this is of no more use.
    package var isLost: Bool {
        switch self {
        case .lost: true
        // The server was stopped, has just restarted, or ended a session that held its locks too long.
        case .refused(let code, _, _, _): code.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(code)
        case .textWithNUL, .unusableTarget: false
        }
    }
}

extension PostgreSQLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .lost(let reason): "PostgreSQL cannot be reached: \(reason)"
        case .refused(let code, let message, let constraint, let statement):
            "PostgreSQL refused a statement (SQLSTATE \(code)\(constraint.map { ", constraint \($0)" } ?? ""))\(message.isEmpty ? "" : ": \(message)")"
                + " in: \(statement)"
        case .textWithNUL: "a text holds a NUL character, which PostgreSQL cannot keep"
        case .unusableTarget(let reason): "the PostgreSQL connection string \(reason)"
        }
    }
}
