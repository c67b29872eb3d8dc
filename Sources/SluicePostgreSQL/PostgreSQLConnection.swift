// One session. Statements are queued and go out together: a pipeline costs one round trip however many statements it has, and its
// answers are read while it is still being sent, so that neither side ever waits for the other with full buffers
// (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html). A statement is prepared when it comes for the first time.
//
// Every call blocks its thread; whoever has a connection calls it on a queue of its own, never on Swift's shared pool.

import CPostgreSQL
import Glibc

/// One connection, used on one queue. Not Sendable.
package final class PostgreSQLConnection {
    private struct Command {
        let sql: String
        let values: [PostgreSQLValue]
        let parameters: PostgreSQLParameters
        /// Kept by the session for the next time.
        let isPrepared: Bool
    }

    /// What was sent and is to be answered, in order.
    private enum Sent {
        case preparation(sql: String)
        case execution(Command)
    }

    private let handle: OpaquePointer
    private var queue: [Command] = []
    /// What was prepared of a text: its name, and the types of the values that it takes.
    private struct Preparation {
        let name: String
        let types: [UInt32]
    }

    private var prepared: [String: Preparation] = [:]
    private var preparationCount = 0
    package private(set) var isLost = false
    /// Longer than any statement may take by the server's own limit: a server that says nothing for so long is gone.
    private let patience: Duration
    /// How often something was sent: what was queued before and after the same number can still be taken back.
    package private(set) var exchangeCount = 0
    /// Hears the text of each statement that the server has to read.
    package var onStatement: (@Sendable (String) -> Void)?
    /// Statements beyond this number are parsed each time: a session keeps all that it prepared.
    private static let preparedCountMax = 256

    /// Connects, which may take some seconds.
    /// - Throws: `.lost` with libpq's reason, which names host and user, never a password.
    package init(_ target: PostgreSQLTarget, patience: Duration = .seconds(75)) throws(PostgreSQLError) {
        let settings = [
            // What stands before the connection string is a default, what stands behind it is not.
            ("connect_timeout", "5"), ("application_name", "sluice-records"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            ("keepalives_count", "3"), ("dbname", target.text), ("client_encoding", "UTF8"),
        ]
        guard let handle = Self.connect(settings) else { throw .lost("out of memory") }
        self.handle = handle
        self.patience = patience
        guard PQstatus(handle) == CONNECTION_OK else {
            // `deinit` closes it.
            throw .lost(Self.line(PQerrorMessage(handle)))
        }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw .lost(Self.line(PQerrorMessage(handle))) }
    }

    deinit { PQfinish(handle) }

    private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
        let keywords = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        return PQconnectdbParams(keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    }

    private static func line(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    }

    /// The server's process of this session, which notifications name as their sender.
    package var processID: Int32 { PQbackendPID(handle) }
    /// For `poll`, beside `takeNotifications`.
    package var socket: Int32 { PQsocket(handle) }

    // MARK: Statements

    /// Queues a statement whose result nobody asks for. It goes out with the next `run`, or at `flush`; what is wrong with it shows there.
    /// - Parameter isPrepared: whether the session keeps it; not for cursors, whose rows have another shape each time.
    /// - Throws: `.textWithNUL`.
    package func enqueue(_ sql: String, _ values: [PostgreSQLValue] = [], isPrepared: Bool = true) throws(PostgreSQLError) {
        queue.append(Command(sql: sql, values: values, parameters: try PostgreSQLParameters(values), isPrepared: isPrepared))
    }

    /// How many statements wait to be sent.
    package var queuedCount: Int { queue.count }
    /// Takes back what was queued last, down to `count`: it never happened.
    package func truncateQueue(to count: Int) { queue.removeSubrange(min(count, queue.count)...) }
    /// Takes back one queued statement.
    package func removeQueued(at position: Int) { queue.remove(at: position) }

    /// Sends what is queued and this statement, and returns this one's result.
    package func run(_ sql: String, _ values: [PostgreSQLValue] = []) throws(PostgreSQLError) -> PostgreSQLResult {
        let results = try run([(sql, values)])
        return results[0]
    }

    /// Sends what is queued and these statements in one go, and returns their results.
    package func run(_ statements: [(sql: String, values: [PostgreSQLValue])]) throws(PostgreSQLError) -> [PostgreSQLResult] {
        for (sql, values) in statements { try enqueue(sql, values) }
        return Array(try exchange().suffix(statements.count))
    }

    /// Sends what is queued and waits until all of it is done.
    /// - Returns: the results, in order.
    @discardableResult
    package func flush() throws(PostgreSQLError) -> [PostgreSQLResult] { queue.isEmpty ? [] : try exchange() }

    // MARK: Notifications

    /// What has come for channels that this session listens to.
    package func takeNotifications() throws(PostgreSQLError) -> [String] {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    // MARK: The pipeline

    private func exchange() throws(PostgreSQLError) -> [PostgreSQLResult] {
        let commands = queue
        queue.removeAll(keepingCapacity: true)
        exchangeCount += 1
        guard !isLost else { throw .lost("the connection was lost before") }
        var sent: [Sent] = []
        sent.reserveCapacity(commands.count + 4)
        for command in commands { try send(command, &sent) }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        try push()
        return try collect(sent)
    }

    private func send(_ command: Command, _ sent: inout [Sent]) throws(PostgreSQLError) {
        let types = command.values.map(\.type)
        let name = try preparedName(of: command, types, &sent)
        let isSent = command.parameters.withPointers { values, lengths, formats in
            if let name { return PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1) }
            return PQsendQueryParams(handle, command.sql, Int32(values.count), types, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
        sent.append(.execution(command))
        // Keeps a long pipeline moving instead of growing in memory.
        if sent.count % 256 == 0 { try push() }
    }

    /// Prepares a statement that comes for the first time.
    /// - Returns: nil for one that goes unprepared.
    private func preparedName(of command: Command, _ types: [UInt32], _ sent: inout [Sent]) throws(PostgreSQLError) -> String? {
        if let known = prepared[command.sql] {
            // A NULL is of any type.
            return zip(known.types, types).allSatisfy { $0 == $1 || $1 == 0 } ? known.name : nil
        }
        onStatement?(command.sql)
        guard command.isPrepared, prepared.count < Self.preparedCountMax else { return nil }
        preparationCount += 1
        let name = "s\(preparationCount)"
        guard PQsendPrepare(handle, name, command.sql, Int32(types.count), types) == 1 else { throw lost() }
        sent.append(.preparation(sql: command.sql))
        prepared[command.sql] = Preparation(name: name, types: types)
        return name
    }

    /// Writes until libpq has nothing left, and reads what comes meanwhile.
    private func push() throws(PostgreSQLError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1: try wait(for: Int16(POLLIN | POLLOUT))
            default: throw lost()
            }
        }
    }

    private func wait(for events: Int16) throws(PostgreSQLError) {
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let code = poll(&descriptor, 1, Int32(patience / .milliseconds(1)))
        if code < 0, errno == EINTR { return }
        guard code > 0 else {
            isLost = true
            throw .lost("the server has said nothing for \(patience)")
        }
        if descriptor.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, PQconsumeInput(handle) == 0 { throw lost() }
    }

    private func nextResult() throws(PostgreSQLError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 { try wait(for: Int16(POLLIN)) }
        return PQgetResult(handle)
    }

    private func collect(_ sent: [Sent]) throws(PostgreSQLError) -> [PostgreSQLResult] {
        var results: [PostgreSQLResult] = []
        results.reserveCapacity(sent.count)
        var failure: PostgreSQLError?
        for item in sent {
            guard let handle = try nextResult() else { throw failure ?? lost() }
            let status = PQresultStatus(handle)
            let result = PostgreSQLResult(handle)
            let isDone = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
            switch item {
            case .preparation(let sql): if !isDone { prepared[sql] = nil }
            case .execution: if isDone { results.append(result) }
            }
            if !isDone, failure == nil, status != PGRES_PIPELINE_ABORTED { failure = error(handle, item) }
            if PQstatus(self.handle) == CONNECTION_BAD { throw failure?.isLost == true ? failure ?? lost() : lost() }
            // Each answer ends with a nil.
            if let more = try nextResult() { PQclear(more) }
        }
        guard let end = try nextResult() else { throw failure ?? lost() }
        PQclear(end)
        if let failure {
            if failure.isLost { isLost = true }
            throw failure
        }
        return results
    }

    // MARK: Errors

    private func lost() -> PostgreSQLError {
        isLost = true
        let reason = Self.line(PQerrorMessage(handle))
        return .lost(reason.isEmpty ? "the connection was closed" : reason)
    }

    private func error(_ result: OpaquePointer, _ item: Sent) -> PostgreSQLError {
        guard let code = Self.field(result, sluice_pg_sqlstate) else { return lost() }
        // Classes 22 and 23 repeat what was to be written.
        let message = code.hasPrefix("22") || code.hasPrefix("23") ? "" : Self.field(result, sluice_pg_message) ?? ""
        let statement =
            switch item {
            case .preparation(let sql): sql
            case .execution(let command): command.sql
            }
        return .refused(code: code, message: message, constraint: Self.field(result, sluice_pg_constraint), statement: statement)
    }

    private static func field(_ result: OpaquePointer, _ code: Int) -> String? {
        PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
}

extension PostgreSQLParameters {
    /// Lends the values as libpq wants them. The pointers must not leave `body`.
    fileprivate func withPointers(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Int32
    ) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            // An empty value may have no address, and a null pointer would be NULL.
            let empty = UnsafePointer<CChar>(bitPattern: 1)
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = ranges.map { range -> UnsafePointer<CChar>? in range.flatMap { range in start.map { $0 + range.lowerBound } ?? empty } }
            return body(values, ranges.map { Int32($0?.count ?? 0) }, [Int32](repeating: 1, count: ranges.count))
        }
    }
}
