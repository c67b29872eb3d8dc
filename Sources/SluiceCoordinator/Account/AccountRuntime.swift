// One account at work: an actor on the accounts' threads that owns the lock, the store and the sync core, and carries out the core's
// effects. SQLite blocks the thread that it is on and no other; requests to the service suspend.
//
// Life: `open` (lock and control socket), `run` (store and sync, until `stop`), then the store is checkpointed and closed. Tasks of an account
// are children of `run`'s group; none outlives it.
//
// Who may call: the coordinator and the control server, from anywhere. `status` never waits for the store.

import Foundation
import SluiceGroup
package import SluiceHTTPClient
import SluiceReader
import SluiceRecords
package import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync
import Synchronization

package actor AccountRuntime {
    package nonisolated let name: String
    package nonisolated let plan: AccountPlan
    private nonisolated let executor = AccountExecutor()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let client: RecordServiceClient
    /// The account beside this one that keeps its synced values; nil where it keeps none. It lives from `open` to the end of `run`.
    nonisolated let keyValues: AccountRuntime?
    /// Of an account that is such a store: who is told of values from elsewhere.
    var keyValueWatch: KeyValueWatch?
    let log: @Sendable (LogLine) -> Void
    /// The last status that was published; read by anybody without waiting for the store.
    nonisolated let board: StatusBoard
    nonisolated let counters = SyncCounters()

    private let effects: AsyncStream<SyncEffect>
    private let queue: AsyncStream<SyncEffect>.Continuation
    private var directory: StateDirectory?
    private var lock: AccountLock?
    private var control: ControlServer?
    /// The store while it is open; nil where it could not be opened, and after `run`.
    var session: AccountSession?
    private var openFailure: String?
    /// Why the store was not migrated; until somebody asks for it, it is not tried again.
    var migrationFailure: CoordinatorError?
    private(set) var projectionFailure: String?
    var core = SyncCore()
    var isStopping = false
    private nonisolated let stopFlag = Atomic(false)
    /// Called while something long makes progress, for the service manager's patience.
    private let progress: @Sendable () -> Void
    private var legacy: [LegacyStatus] = []
    private var quietWaiters: [UInt64: CheckedContinuation<AccountStatus, Never>] = [:]
    private var waiterCount: UInt64 = 0
    private var watcher: CheckedContinuation<Void, Never>?
    private var loggedState: SyncState?
    private var nextCount: ContinuousClock.Instant?
    private var pushTimer: Task<Void, Never>?

    package init(
        _ plan: AccountPlan, http: HTTPClient, version: String, progress: @escaping @Sendable () -> Void = {},
        log: @escaping @Sendable (LogLine) -> Void
    ) {
        self.init(plan, http: http, version: version, turns: TokenTurns(), progress: progress, log: log)
    }

    private init(
        _ plan: AccountPlan, http: HTTPClient, version: String, turns: TokenTurns, progress: @escaping @Sendable () -> Void,
        log: @escaping @Sendable (LogLine) -> Void
    ) {
        name = plan.name
        self.progress = progress
        self.plan = plan
        self.log = log
        board = StatusBoard(AccountStatus(account: plan.name, state: "starting"))
        let tokenDirectory = plan.tokenDirectory ?? plan.stateDirectory
        client = RecordServiceClient(
            http, plan.service, userAgent: "sluice/\(version)", turns: turns,
            credentials: { try RotatedToken.newest(StateDirectory.tokenPath(in: tokenDirectory), over: plan.credentials) },
            keepRotated: { try RotatedToken.keep($0, after: $1, configured: $2, in: tokenDirectory, over: plan.credentials) })
        (effects, queue) = AsyncStream.makeStream()
        // The plan's schema is a constant, the one thing in it that could be wrong.
        keyValues = plan.keepsKeyValues ? (try? plan.keyValuePlan()).map { AccountRuntime($0, http: http, version: version, turns: turns, progress: {}, log: log) } : nil
    }

    // MARK: Life

    /// Takes the account's lock and opens its control socket. From then on `status` tells what is wrong, if anything is.
    /// - Throws: `CoordinatorError`; nothing is then held.
    package func open() async throws {
        let directory = try StateDirectory(path: plan.stateDirectory)
        lock = try AccountLock(directory, account: name)
        self.directory = directory
        control = try ControlServer(self, in: directory)
        await openKeyValues()
    }

    /// Opens the store ahead of `run`, for who needs it at once.
    /// - Returns: the schema that it has.
    /// - Throws: why it cannot be opened.
    package func start() throws -> Schema {
        openStore()
        guard let session else { throw CoordinatorError.storeUnavailable(account: name, detail: openFailure ?? "the account is stopping") }
        return session.store.layout.schema
    }

    /// Another connection of this process changed rows of the synced store.
    package func noteForeignChange() {
        projectChanges()
        changedLocally()
    }

    /// Works until `stop` is called.
    package func run() async {
        openStore()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.watchService() }
            group.addTask { await self.keepHouse() }
            if let keyValues { group.addTask { await keyValues.run() } }
            for await effect in effects { group.addTask { await self.perform(effect) } }
            await keyValues?.stop()
            group.cancelAll()
        }
        await close()
    }

    /// Imports what is to be imported, brings the store to its schema, opens it and starts to sync. Where that fails the reason is shown, and
    /// housekeeping tries again, save after a migration that failed.
    func openStore() {
        guard session == nil, !isStopping, migrationFailure == nil, let directory else { return }
        do {
            let session = try makeSession(in: directory)
            self.session = session
            updateBoard { $0.migration = nil }
            openFailure = nil
            projectChanges()
            if try session.store.syncValue(.paused)?.integer == 1 { handle(.pause) }
            handle(try session.journal.started())
        } catch {
            // Whoever stops the account in the middle of an import or a migration needs no word of it.
            if openFailure != "\(error)", !isStopAnnounced { log(.error("account \(name): \(error)")) }
            openFailure = "\(error)"
            // Whatever was told of a migration is over; helpers go on reading what there is.
            if status.state == "migrating" { announce(.current) }
            var status = AccountStatus.failed(name, error)
            status.legacy = legacy
            let shown = status
            updateBoard { $0 = shown }
        }
    }

    /// A legacy file or a store that kills the process counts as a crash of this account; one that is refused does not.
    private func makeSession(in directory: StateDirectory) throws -> AccountSession {
        var flight = try FlightRecorder(directory, account: name)
        try flight.takeOff()
        do {
            // A source may be a store of an earlier version, taken over as it is; and one that was here before takes in sources as it is now.
            var shape: Schema?
            if case .fixed(let wanted) = plan.schema { shape = try migrate(to: wanted, in: directory) }
            legacy = try takeInLegacyStores(directory, schema: shape)
            return try AccountSession(plan, schema: try migrate(to: schema(in: directory), in: directory), in: directory, flight)
        } catch {
            flight.rest()
            throw error
        }
    }

    private func takeInLegacyStores(_ directory: StateDirectory, schema: Schema?) throws -> [LegacyStatus] {
        let known = legacy
        let intake = LegacyIntake(plan: plan, directory: directory, schema: schema, isStopping: { self.isStopAnnounced }) { source, rows in
            self.updateBoard { status in
                status.state = "importing"
                status.legacy = known.filter { $0.source != source } + [LegacyStatus(source: source, state: "importing", rows: rows)]
            }
            self.progress()
        }
        let done = try intake.recorded()
        let statuses = try intake.run(besides: done, known: known)
        for status in statuses where !known.contains(status) && done[status.source] != status {
            let line = "account \(name): legacy store \(status.source): \(status.state)"
                + (status.rows.map { ", \($0) rows" } ?? "") + (status.reason.map { " (\($0))" } ?? "")
            log(status.state == "failed" ? .error(line) : .notice(line))
        }
        return statuses
    }

    /// Looks again for legacy stores that were not there, or could not be read, at the last attempt.
    func retryLegacyStores() {
        guard legacy.contains(where: { $0.state != "imported" }), let directory, let session else { return }
        do { legacy = try takeInLegacyStores(directory, schema: session.store.layout.schema) } catch { log(.error("account \(name): \(error)")) }
    }

    /// Drops staged copies that have been kept long enough.
    func expireLegacyCopies() throws {
        guard let directory else { return }
        try LegacyIntake(plan: plan, directory: directory, schema: nil, isStopping: { false }) { _, _ in }.expire(now: Date())
    }

    private func schema(in directory: StateDirectory) throws -> Schema {
        switch plan.schema {
        case .fixed(let schema): return schema
        case .compiled:
            throw CoordinatorError.schemaUnavailable(
                account: name, detail: "it is compiled into a program: start the account from there, with SluiceCoordinator.embed")
        case .fromLegacy:
            if let schema = try Store.schema(at: directory.storePath) { return schema }
            let reason = legacy.first { $0.state != "imported" }.map { "\($0.source): \($0.reason ?? $0.state)" }
            throw CoordinatorError.schemaUnavailable(
                account: name, detail: "it comes from a legacy store, and none is imported\(reason.map { " (\($0))" } ?? "")")
        }
    }

    nonisolated var isStopAnnounced: Bool { stopFlag.load(ordering: .relaxed) }

    nonisolated func reportProgress() { progress() }

    /// Lets an import or a migration that holds the account's thread know before `stop` has its turn.
    package nonisolated func announceStop() {
        stopFlag.store(true, ordering: .relaxed)
        board.release()
        keyValues?.announceStop()
    }

    /// Ends `run`: no new work is begun, requests under way are given up, what is on disk stays.
    package func stop() {
        stopFlag.store(true, ordering: .relaxed)
        board.release()
        isStopping = true
        pushTimer?.cancel()
        queue.finish()
        wakeWaiters()
    }

    private func close() async {
        wakeWaiters()
        await control?.stop()
        control = nil
        keyValueWatch?.finish()
        keyValueWatch = nil
        session?.close()
        session = nil
        lock = nil
        updateBoard { $0.state = "stopped" }
    }

    /// Something outside may be mended: a token, the network, the disk, a schema file.
    package func retryNow() {
        migrationFailure = nil
        openStore()
        handle(.retryNow)
    }

    /// Brings the local store up to date with the synced one.
    func projectChanges() {
        let wasBehind = projectionFailure != nil
        // Not every change of the container is one of the core, which publishes its own.
        defer { if wasBehind != (projectionFailure != nil) { publish() } }
        noteKeyValueChanges()
        do {
            try session?.project()
            projectionFailure = nil
        } catch {
            // The synced store is right and stays so; helpers go on reading the last generation.
            if projectionFailure != "\(error)" { log(.error("account \(name): the group container is behind: \(error)")) }
            projectionFailure = "\(error)"
        }
    }

    // MARK: The core

    var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    func handle(_ event: SyncEvent) {
        guard !isStopping, let session else { return }
        let next = core.handle(event, at: milliseconds, random: .random(in: .min ... .max))
        for effect in next { queue.yield(effect) }
        session.note(core.isQuiet ? .done : isMoving ? .working : .resting)
        if core.isQuiet { settleDown() }
        publish()
        if core.isQuiet || !isMoving { wakeWaiters() } else { wakeWatcher() }
    }

    private var isMoving: Bool {
        switch core.state {
        case .waiting, .blocked, .paused: false
        case .idle, .pushing, .pulling: true
        }
    }

    /// Everything is in step: note it, and wake up again when the next record that was put off has its time.
    private func settleDown() {
        do {
            let summary = try session?.store.outboxSummary(at: milliseconds)
            if let next = summary?.nextAttempt { queue.yield(.wake(at: next)) }
            try session?.noteSuccess(at: milliseconds)
        } catch { log(.error("account \(name): \(error)")) }
    }

    /// Rows changed here: waits a moment for company, then lets the core know.
    func changedLocally() {
        guard !isStopping else { return }
        publish()
        guard pushTimer == nil else { return }
        pushTimer = Task {
            try? await Task.sleep(for: plan.pushDelay)
            self.pushNow()
        }
    }

    private func pushNow() {
        pushTimer = nil
        handle(.changedLocally)
    }

    // MARK: Waiting for quiet

    /// Returns the status of the moment when everything is in step, or when nothing moves because the account waits, is blocked, paused or
    /// stopping. A moment later the service may have news.
    func waitUntilQuiet() async -> AccountStatus {
        guard !isStopping, !core.isQuiet, isMoving else {
            publish()
            return status
        }
        waiterCount += 1
        let number = waiterCount
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { continuation.resume(returning: status) } else { quietWaiters[number] = continuation }
            }
        } onCancel: {
            Task { await self.dropWaiter(number) }
        }
    }

    private func dropWaiter(_ number: UInt64) { quietWaiters.removeValue(forKey: number)?.resume(returning: status) }

    private func wakeWaiters() {
        for continuation in quietWaiters.values { continuation.resume(returning: status) }
        quietWaiters = [:]
        wakeWatcher()
    }

    // MARK: Waiting for a connection

    /// Whether a request has a chance: nothing is asked while the account is blocked or waits, nor before it has identified itself.
    private var isWatching: Bool { isMoving && session?.exchange.clockOffset != nil }

    /// Returns when it makes sense to wait at the service for news, or when the account is stopping.
    func waitUntilWatching() async {
        guard !isWatching, !isStopping else { return }
        await withCheckedContinuation { watcher = $0 }
    }

    private func wakeWatcher() {
        guard isWatching || isStopping else { return }
        watcher?.resume()
        watcher = nil
    }

    // MARK: Status

    /// Between two counts of what waits while records move: at least so long, and so many times as long as the last one took. Counting a long
    /// outbox takes longer than a batch does.
    private static let countInterval: Duration = .milliseconds(250)
    private static let countShare = 50

    /// Brings the published status up to date.
    func publish() {
        guard let session else { return }
        let began = ContinuousClock.now
        let isDue = nextCount.map { began >= $0 } ?? true
        var status = isDue || core.isQuiet || !isMoving ? session.status(at: milliseconds) : self.status
        if isDue { nextCount = .now + max(Self.countInterval, began.duration(to: .now) * Self.countShare) }
        status.proxy = client.effectiveProxy
        status.groupProblem = projectionFailure ?? status.groupProblem
        status.legacy = legacy
        status.show(core.state)
        let shown = status
        updateBoard { $0 = shown }
        guard loggedState != core.state else { return }
        loggedState = core.state
        logState(status)
    }

    private func logState(_ status: AccountStatus) {
        switch core.state {
        case .waiting: log(.warning("account \(name): waiting: \(status.reason ?? "")"))
        case .blocked: log(.error("account \(name): blocked: \(status.reason ?? "")\(status.advice.map { "; \($0)" } ?? "")"))
        case .paused: log(.notice("account \(name): paused"))
        case .idle where core.isQuiet: log(.info("account \(name): in step"))
        case .idle, .pushing, .pulling: break
        }
    }
}
