import Foundation
import SluicePostgreSQL
import Synchronization

/// One PostgreSQL server as this process sees it: how to get a connection, and how long to leave it alone after it could not be reached.
final class PostgreSQLServer: Sendable {
    private struct Reachability {
        var failures = 0
        var next = ContinuousClock.now
    }

    let target: PostgreSQLTarget
    private let reachability = Mutex(Reachability())
    private let onStatement: (@Sendable (String) -> Void)?

    /// Between the first attempt and the next; doubled each time, up to the maximum, which is short enough for a request to wait for.
    private static let delay: Duration = .milliseconds(50)
    private static let delayMaximum: Duration = .seconds(1)

    /// - Parameter onStatement: hears the text of every statement that the server reads.
    init(_ target: PostgreSQLTarget, onStatement: (@Sendable (String) -> Void)? = nil) {
        self.target = target
        self.onStatement = onStatement
    }

    /// A connection whose session is set up. Blocks the thread, which is the caller's own, for some seconds at most.
    func connect() throws -> PostgreSQLConnection {
        let wait = reachability.withLock { $0.failures == 0 ? .zero : $0.next - .now }
        if wait > .zero { Thread.sleep(forTimeInterval: wait / .seconds(1)) }
        do {
            let connection = try PostgreSQLConnection(target)
            connection.onStatement = onStatement
            try setUp(connection)
            reachability.withLock { $0 = Reachability() }
            return connection
        } catch {
            reachability.withLock { state in
                // Several that failed together are one failure.
                guard state.failures == 0 || state.next <= .now else { return }
                let longest = min(Self.delay * (1 << min(state.failures, 10)), Self.delayMaximum)
                state.failures += 1
                // Full jitter, so that many processes do not come back at once.
                state.next = .now + longest * Double.random(in: 0.2...1)
            }
            throw error
        }
    }

    /// The same, to tables that this program knows: whoever upgraded them while this process was running has changed them under it.
    /// - Throws: `StorageError.unavailable` for tables of another version, beside what `connect` throws.
    func connectToTables() throws -> PostgreSQLTables {
        let connection = try connect()
        try PostgreSQLSchema.check(on: connection)
        return PostgreSQLTables(connection)
    }

    /// What holds for every session: our schema; nobody waits for a lock for ever; who stands still inside a transaction loses it, and with it the
    /// locks that others wait for; and what was acknowledged is on disk, whatever the server's default is.
    private func setUp(_ connection: PostgreSQLConnection) throws(PostgreSQLError) {
        let settings = [
            ("search_path", target.schema), ("lock_timeout", "10s"), ("statement_timeout", "60s"), ("idle_in_transaction_session_timeout", "20s"),
            ("client_min_messages", "warning"), ("bytea_output", "hex"), ("default_transaction_isolation", "read committed"),
        ]
        for (name, value) in settings { try connection.enqueue("SELECT set_config($1, $2, false)", [.text(name), .text(value)]) }
        try connection.enqueue(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
        try connection.flush()
    }
}

extension StorageError {
    /// What an error of PostgreSQL is for the caller.
    init(_ error: PostgreSQLError) {
        switch error {
        // Such a name cannot be kept, so nothing is there that has it.
        case .textWithNUL: self = .queryRefused("\(error)")
        case _ where error.isOverload || error.isConflict: self = .overloaded
        default: self = .unavailable("\(error)")
        }
    }
}
