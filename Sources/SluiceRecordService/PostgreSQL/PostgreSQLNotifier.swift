// Between the processes of one service: whose database has changed. One connection per process, on a thread of its own. What commits in this
// process is gathered and told in one statement, a few milliseconds after the first of it: a NOTIFY inside each transaction would make all
// commits of the server wait for one another. What is lost on the way (a process that dies between its commit and the word of it, a
// connection that breaks) is found by looking at what long polls wait for, every few seconds.

import CShims
import Foundation
import Glibc
import SluicePostgreSQL
import Synchronization

/// Tells other processes of commits, and long polls of theirs.
final class PostgreSQLNotifier: Sendable {
    private struct State {
        /// Changed here, not told yet.
        var changed: Set<Int64> = []
        /// What readers of watched databases have seen: the sequence of the database's feed.
        var seen: [Int64: Int64] = [:]
        /// The last database that was looked at: those behind it are next.
        var lookedAt: Int64 = 0
        var isStopped = false
    }

    private let server: PostgreSQLServer
    private let signal: CommitSignal
    private let state = Mutex(State())
    /// Wakes the thread. Written to by anybody, read by the thread.
    private let waker: Int32
    private let channel: String
    /// Ends with the thread.
    private let (ended, end) = AsyncStream<Never>.makeStream()

    /// Between one word and the next.
    private static let pace: Duration = .milliseconds(10)
    /// Between looks at what long polls wait for.
    private static let lookInterval: Duration = .seconds(2)
    /// Databases that one look asks about; of more, the others have their turn at the next.
    private static let lookCountMax = 2_000
    /// A payload may have 7,999 bytes; a number has 19 at most, and its comma.
    private static let payloadCountMax = 390

    init(_ server: PostgreSQLServer, _ signal: CommitSignal) throws(StorageError) {
        self.server = server
        self.signal = signal
        channel = "\(server.target.schema)_changes"
        waker = sluice_wake_descriptor()
        guard waker >= 0 else { throw .unavailable("no descriptor to wake a thread: \(String(cString: strerror(errno)))") }
    }

    deinit { close(waker) }

    /// Begins to listen. The thread keeps this value until `stop`.
    func start() {
        let thread = Thread { self.run() }
        thread.name = "sluice-notifier"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Tells the others of what is not told yet, and returns when that is done and the thread has ended; not later than after `limit`, where the server
    /// does not answer.
    func stop(within limit: Duration) async {
        stop()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [ended] in for await _ in ended {} }
            group.addTask { try? await Task.sleep(for: limit) }  // A cancelled sleep ends the wait, which is what is meant.
            await group.next()
            group.cancelAll()
        }
    }

    /// The same without waiting.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    /// What this process has committed.
    func tell(_ databases: [DatabaseID]) {
        guard !databases.isEmpty else { return }
        let isFirst = state.withLock { state in
            defer { state.changed.formUnion(databases.map(\.rawValue)) }
            return state.changed.isEmpty
        }
        if isFirst { wake() }
    }

    /// How far somebody has read a database's feed, who may wait now.
    func saw(_ database: DatabaseID, upTo sequence: Int64) {
        if signal.isWatched(database) { state.withLock { $0.seen[database.rawValue] = sequence } }
    }

    private func wake() {
        var one: UInt64 = 1
        // It fails only where it has been woken 2^64 times already.
        _ = write(waker, &one, 8)
    }

    // MARK: The thread

    private func run() {
        defer { end.finish() }
        while !state.withLock({ $0.isStopped }) {
            do {
                try listen(on: server.connect())
            } catch {
                // The requests that fail meanwhile say why. Whoever waits is woken below, as soon as there is a connection.
                wait(for: -1, .milliseconds(200))
            }
        }
    }

    private func listen(on connection: PostgreSQLConnection) throws {
        _ = try connection.run("LISTEN \(channel)")
        // Nobody knows what happened before.
        signal.notify(signal.watched)
        var (told, looked) = (ContinuousClock.now - Self.pace, ContinuousClock.now)
        while true {
            let now = ContinuousClock.now
            if told + Self.pace <= now, try tellChanged(on: connection) { told = now }
            if state.withLock({ $0.isStopped && $0.changed.isEmpty }) { return }
            if looked + Self.lookInterval <= now {
                looked = now
                try look(on: connection)
            }
            let heard = try connection.takeNotifications().flatMap { $0.split(separator: ",").compactMap { Int64($0) } }
            if !heard.isEmpty { signal.notify(Set(heard).map(DatabaseID.init)) }
            let isPending = state.withLock { !$0.changed.isEmpty }
            let until = isPending ? min(told + Self.pace, looked + Self.lookInterval) : looked + Self.lookInterval
            wait(for: connection.socket, until - .now)
        }
    }

    /// - Returns: whether there was something to tell.
    private func tellChanged(on connection: PostgreSQLConnection) throws -> Bool {
        let changed = state.withLock { state in
            defer { state.changed.removeAll() }
            return state.changed.sorted()
        }
        guard !changed.isEmpty else { return false }
        for start in stride(from: 0, to: changed.count, by: Self.payloadCountMax) {
            let payload = changed[start..<min(start + Self.payloadCountMax, changed.count)].map(String.init).joined(separator: ",")
            try connection.enqueue("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
        }
        // A connection that breaks here loses the word; the others find out by looking.
        try connection.flush()
        return true
    }

    /// Wakes whoever waits for a database whose feed has moved.
    private func look(on connection: PostgreSQLConnection) throws {
        let watched = Set(signal.watched.map(\.rawValue))
        let seen = state.withLock { state -> [Int64: Int64] in
            state.seen = state.seen.filter { watched.contains($0.key) }
            let turn = state.seen.keys.filter { $0 > state.lookedAt }.sorted().prefix(Self.lookCountMax)
            state.lookedAt = turn.count < Self.lookCountMax ? 0 : turn.last ?? 0
            return Dictionary(uniqueKeysWithValues: turn.map { ($0, state.seen[$0] ?? 0) })
        }
        guard !seen.isEmpty else { return }
        let result = try connection.run(
            "/* global: what the long polls of this process wait for */ SELECT database, sequence FROM head WHERE database = ANY($1)", [.integers(seen.keys.sorted())])
        var moved: [DatabaseID] = []
        for row in 0..<result.rowCount {
            let (database, sequence) = (result.integer(row, 0), result.integer(row, 1))
            guard let known = seen[database], known != sequence else { continue }
            moved.append(DatabaseID(rawValue: database))
            state.withLock { if $0.seen[database] == known { $0.seen[database] = sequence } }
        }
        signal.notify(moved)
    }

    /// Until something comes, or somebody wakes, or the time is over.
    private func wait(for socket: Int32, _ time: Duration) {
        var descriptors = [pollfd(fd: waker, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: Int16(POLLIN), revents: 0)]
        // A negative descriptor is passed over.
        _ = poll(&descriptors, 2, Int32(max(0, (time / .milliseconds(1)).rounded(.up))))
        // Reading sets it back; where nobody woke there is nothing to read.
        var count: UInt64 = 0
        _ = read(waker, &count, 8)
    }
}
