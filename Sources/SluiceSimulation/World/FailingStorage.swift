// Storage that fails and refuses when a scenario wants it to, in front of storage that does neither. It also sees what no client sees: which
// operations had an effect, and when a value was first taken.

import Foundation
import SluiceRecordService
import SluiceRecords
import Synchronization

/// The storage of a simulated service. One caller at a time.
final class FailingStorage: RecordStorage {
    /// One write that had an effect.
    struct Taken: Sendable {
        let database: DatabaseID
        let holder: String
        /// Nil for a client that gives its operations no ids.
        let operation: OperationID?
        /// Records as they are now; a tombstone's fields are nil.
        let records: [(name: String, fieldsJSON: Data?)]
        /// By the service's clock.
        let time: Int64

        /// Whether a record was written; a deletion of what is deleted already changes nothing.
        var wroteRecords: Bool { records.contains { $0.fieldsJSON != nil } }
    }

    private struct State {
        var failures = 0
        /// By record name; true: for good.
        var refusals: [String: Bool] = [:]
        var quotaIsFull = false
        var taken: [Taken] = []
        var failedCount = 0
        var refusedCount = 0
    }

    let base: any RecordStorage
    private let state = Mutex(State())
    private let clock: WorldClock

    init(_ base: any RecordStorage, clock: WorldClock) {
        self.base = base
        self.clock = clock
    }

    // MARK: Faults

    /// The next `count` writes fail.
    func fail(_ count: Int) { state.withLock { $0.failures += count } }
    func refuse(_ name: String, forGood: Bool) { state.withLock { $0.refusals[name] = forGood } }
    func fillQuota(_ isFull: Bool) { state.withLock { $0.quotaIsFull = isFull } }

    func heal() {
        state.withLock {
            $0.failures = 0
            $0.refusals = [:]
            $0.quotaIsFull = false
        }
    }

    /// What had an effect since this was last asked, and how many writes failed and records were refused.
    func report() -> (taken: [Taken], failed: Int, refused: Int) {
        state.withLock { state in
            defer { (state.taken, state.failedCount, state.refusedCount) = ([], 0, 0) }
            return (state.taken, state.failedCount, state.refusedCount)
        }
    }

    private func failIfDue() throws(StorageError) {
        let isDue = state.withLock { state in
            guard state.failures > 0 else { return false }
            state.failures -= 1
            state.failedCount += 1
            return true
        }
        if isDue { throw StorageError.unavailable("the disk failed") }
    }

    func modify(_ command: ModifyCommand) async throws(StorageError) -> ModifyOutcome {
        try failIfDue()
        var command = command
        let (refusals, quotaIsFull) = state.withLock { ($0.refusals, $0.quotaIsFull) }
        if quotaIsFull { command.quota = 0 }
        var refusedCount = 0
        command.elements = command.elements.map { element in
            guard case .operation(let prepared) = element, let forGood = refusals[prepared.operation.record.recordName] else { return element }
            refusedCount += 1
            let error = forGood ? ServerError(.badRequest, "no") : ServerError(.tryAgainLater, "busy", retryAfter: 2)
            return .refused(recordName: prepared.operation.record.recordName, error)
        }
        let outcome = try await base.modify(command)
        guard case .done(let results) = outcome else { return outcome }
        let records = results.compactMap { result -> (name: String, fieldsJSON: Data?)? in
            switch result {
            case .stored(let stored): (stored.head.recordName, stored.fieldsJSON)
            case .record(let record) where record.isDeleted: (record.recordName, nil)
            default: nil
            }
        }
        let taken = Taken(
            database: command.database, holder: command.deviceID, operation: command.operation, records: records, time: clock.now)
        state.withLock { state in
            state.refusedCount += refusedCount
            if !records.isEmpty { state.taken.append(taken) }
        }
        return outcome
    }

    func modifyZones(_ operations: [ZoneOperation], in database: DatabaseID) async throws(StorageError) -> [ZoneResult] {
        try failIfDue()
        return try await base.modifyZones(operations, in: database)
    }

    // MARK: Everything else

    var epoch: Epoch { get async throws(StorageError) { try await base.epoch } }
    func zones(in database: DatabaseID) async throws(StorageError) -> [Zone] { try await base.zones(in: database) }
    func records(
        named names: [String], zone: ZoneID, knowing past: KnownPast, in database: DatabaseID
    ) async throws(StorageError) -> [StoredRecord?] {
        try await base.records(named: names, zone: zone, knowing: past, in: database)
    }
    func query(_ command: QueryCommand, in database: DatabaseID) async throws(StorageError) -> QueryPage {
        try await base.query(command, in: database)
    }

    func zoneChanges(_ query: FeedQuery, in database: DatabaseID) async throws(StorageError) -> FeedPage {
        try await base.zoneChanges(query, in: database)
    }
    func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage {
        try await base.databaseChanges(since: token, limit: limit, in: database)
    }
    func watch(_ database: DatabaseID) -> CommitWatch { base.watch(database) }
    func prune() async throws(StorageError) { try await base.prune() }
    func statistics() async throws(StorageError) -> StorageStatistics { try await base.statistics() }
    func close() async { await base.close() }
    // What records look like is fixed by operators, whom no world has; learning it would cost each run its random numbers.
    func recordFields(of _: String, _: ServiceEnvironment) async throws(StorageError) -> [RecordField] { [] }
    func addRecordFields(_: [RecordField], to _: String, _: ServiceEnvironment) async throws(StorageError) {}

    func addToken(_ token: NewToken) async throws(StorageError) { try await base.addToken(token) }
    func tokens() async throws(StorageError) -> [TokenSummary] { try await base.tokens() }
    func revokeToken(id: Int64) async throws(StorageError) -> Bool { try await base.revokeToken(id: id) }
    func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool {
        try await base.acceptsAPIToken(digest: digest, for: path)
    }
    func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller? { try await base.caller(digest: digest, for: path) }
    func caller(rotatingTo digest: Data, successor: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        try await base.caller(rotatingTo: digest, successor: successor, for: path)
    }
    func serverKey(identifier: Data, for path: DatabasePath) async throws(StorageError) -> ServerKey? {
        try await base.serverKey(identifier: identifier, for: path)
    }
}
