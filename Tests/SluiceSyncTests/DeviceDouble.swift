import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceSQLite
import SluiceStore

@testable import SluiceSync

struct RecordDigestBox {
    private var digest = RecordDigest()

    mutating func add(_ record: Record) throws {
        try digest.add(name: record.recordName, type: record.recordType ?? "", fields: record.fields)
    }

    var text: String { digest.text }
}

/// A device that runs the core against a zone in memory, in one thread. Between a request and its answer, and between two steps, it may be
/// left alone, edited, or killed.
final class DeviceDouble {
    final class Time: @unchecked Sendable {
        // Tests use one thread.
        var now: Int64 = 1_700_000_000_000
    }

    struct Stuck: Error { let state: SyncState }

    /// What the device has to do next.
    private enum Work {
        case effect(SyncEffect)
        case page(ZoneChanges, Epoch, confirmed: [String])
        case lookup(RecordsResponse)
        case answer(Int64, RecordsResponse)
    }

    let folder: URL
    let zone: ZoneDouble
    let time = Time()
    private(set) var entities: [Entity]
    private let policies: MergePolicies
    private(set) var store: Store
    private(set) var journal: SyncJournal
    private(set) var core = SyncCore()
    private(set) var sentCount = 0
    private(set) var fullFetchCount = 0
    /// The answer to the next requests is lost after the service has done its work.
    var lostAnswers = 0
    /// The next requests never arrive.
    var lostRequests = 0
    private let random: SeededRandom
    private var work: [Work] = []
    private var hasStarted = false

    init(
        _ zone: ZoneDouble, _ entities: [Entity], folder: URL? = nil, policies: MergePolicies = MergePolicies(), seed: UInt64
    ) throws {
        self.zone = zone
        self.entities = entities
        self.policies = policies
        self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        random = SeededRandom(seed)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        store = try Self.open(self.folder, try Schema(name: "z", validating: entities), time: time, random: random)
        journal = try Self.journal(store, policies, random: random)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("could not remove \(folder.path): \(error)") }
    }

    private static func options(time: Time, random: SeededRandom) -> Store.Options {
        var options = Store.Options(zone: "z")
        options.now = { Date(timeIntervalSince1970: Double(time.now) / 1_000) }
        options.random = RandomSource { random.next() }
        return options
    }

    private static func open(_ folder: URL, _ schema: Schema, time: Time, random: SeededRandom) throws -> Store {
        let store = try Store(
            path: folder.appending(path: "Private.store").path, schema: schema, options: options(time: time, random: random))
        // No run loses power; a crash here is a process that ends.
        try store.connection.execute("PRAGMA synchronous = OFF")
        return store
    }

    private static func journal(_ store: Store, _ policies: MergePolicies, random: SeededRandom) throws -> SyncJournal {
        try SyncJournal(store: store, zone: ZoneID("z"), policies: policies, random: RandomSource { random.next() })
    }

    var latestStamp: Int64 { zone.clock + 300_000 }

    /// The process ends: what is on disk is all that is left.
    func crash() throws {
        work = []
        core = SyncCore()
        hasStarted = false
        store = try Self.open(folder, store.layout.schema, time: time, random: random)
        journal = try Self.journal(store, policies, random: random)
    }

    /// The process ends, and the next one is of another version of the program.
    /// - Parameters:
    ///   - before: the code of a stage over the rows of the old version.
    ///   - after: that over the rows of the new one.
    func upgrade(
        to entities: [Entity], version: SchemaVersion, discarding: Set<String> = [], before: UpgradeStage.Code? = nil, after: UpgradeStage.Code? = nil
    ) throws {
        let wanted = try Schema(name: "z", version: version, validating: entities)
        var upgrade = StoreUpgrade(
            path: folder.appending(path: "Private.store").path, wanted: wanted, options: Self.options(time: time, random: random)
        ) { held in
            UpgradePlan(
                "plan", versions: [.init("old", held), .init("new", wanted)], target: 1,
                stages: [UpgradeStage(from: 0, to: 1, name: "old → new", discarded: discarding, before: before, after: after)])
        }
        upgrade.companion = SyncedUpgrade(zone: ZoneID("z"), latestStamp: latestStamp)
        let shape = try upgrade.run()
        self.entities = entities
        work = []
        core = SyncCore()
        hasStarted = false
        store = try Self.open(folder, shape, time: time, random: random)
        journal = try Self.journal(store, policies, random: random)
    }

    /// The process ends, `body` has the store's file for itself, and another process starts.
    func whileClosed(_ body: (String) throws -> Void) throws {
        store = try Store(path: Store.memoryPath, schema: Schema(name: "z", validating: entities), options: Store.Options(zone: "z"))
        journal = try Self.journal(store, policies, random: random)
        try body(folder.appending(path: "Private.store").path)
        try crash()
    }

    /// Runs until nothing is left to do, or until the core waits.
    func sync(limit: Int = 2_000) throws {
        try ask()
        guard try run(steps: limit, pick: { _ in 0 }) else { throw Stuck(state: core.state) }
    }

    /// Tells the core that there may be something to do.
    func ask() throws {
        guard hasStarted else {
            hasStarted = true
            return handle(try journal.started())
        }
        handle(.shouldPull)
        handle(.changedLocally)
    }

    /// Tells the core that something waits to be looked up, as a coordinator does after a change was given up.
    func mustLookUp() { if hasStarted { handle(.thawed(reconciling: true)) } }

    /// Carries out up to `steps` pieces of work; `pick` says which of those that wait.
    /// - Returns: whether nothing waits any more.
    @discardableResult
    func run(steps: Int, pick: (Int) -> Int) throws -> Bool {
        for _ in 0..<steps {
            guard !work.isEmpty else { return true }
            try perform(work.remove(at: pick(work.count)))
        }
        return work.isEmpty
    }

    /// Lets time pass until the core's next attempt.
    func passTime(_ milliseconds: Int64) throws {
        time.now += milliseconds
        zone.clock += milliseconds
        try wake()
    }

    func wake() throws {
        handle(.woke)
        guard try run(steps: 2_000, pick: { _ in 0 }) else { throw Stuck(state: core.state) }
    }

    private func handle(_ event: SyncEvent?) {
        guard let event else { return }
        work += core.handle(event, at: time.now, random: random.next()).map(Work.effect)
    }

    private func perform(_ piece: Work) throws {
        switch piece {
        case .effect(let effect): handle(try perform(effect))
        case .page(let page, let epoch, let confirmed):
            _ = try journal.apply(page, epoch: epoch, latestStamp: latestStamp, confirmed: page.moreComing ? [] : confirmed)
            handle(.appliedPage(moreComing: page.moreComing, recordCount: page.records.count))
        case .lookup(let response):
            let summary = try journal.reconcile(response, latestStamp: latestStamp)
            handle(.reconciled(remaining: try !store.recordsToReconcile(limit: 1).isEmpty, needsPull: summary.needsPull))
        case .answer(let number, let response):
            let retry = RetryTimes(now: time.now, standard: time.now + 1_000)
            handle(.answered(number, try journal.record(response, of: number, retry: retry)))
        }
    }

    private func perform(_ effect: SyncEffect) throws -> SyncEvent? {
        switch effect {
        case .identify: return .identified(epochChanged: false, limits: zone.limits)
        case .createZone: return .zoneReady
        case .wake: return nil
        case .beginFullFetch(let reason):
            fullFetchCount += 1
            try journal.beginFullFetch(reason)
            return .beganFullFetch
        case .leaveZone(let reason):
            _ = try journal.leaveZone(reason, latestStamp: latestStamp)
            return .leftZone(reason)
        case .forgetZone:
            _ = try journal.forgetZone(latestStamp: latestStamp)
            return .forgotZone
        case .pullPage:
            do { work.append(.page(try zone.changes(after: journal.token), zone.epoch, confirmed: try journal.seenTags)) } catch let error as ServerError {
                let isExpired = error.code == .changeTokenExpired
                return .pullFailed(isExpired ? .tokenExpired(sameTimeline: error.epoch == zone.epoch) : .refused("\(error)"))
            }
            return nil
        case .finishFeed:
            _ = try journal.finishFeed(latestStamp: latestStamp)
            return try journal.beginRefetch() ? .beganFullFetch : .finishedFeed
        case .reconcile(let count):
            let names = try store.recordsToReconcile(limit: count)
            work.append(.lookup(zone.lookup(names.map(\.text))))
            return nil
        case .freeze(let count, let limits):
            let frozen = try journal.freeze(count, limits: limits, at: time.now, latestStamp: latestStamp) { random.uuid() }
            return .froze(frozen)
        case .send(let number): return try send(number)
        case .thaw(let number, let reconciling):
            try store.thaw(number, reconciling: reconciling)
            return .gaveUp(number, reconciling: reconciling)
        case .setAside(let number, let reason):
            try store.settle(number, store.members(of: number).map { ($0.name, .setAside(reason: reason)) })
            return .gaveUp(number, reconciling: false)
        }
    }

    private func send(_ number: Int64) throws -> SyncEvent? {
        guard let operation = try store.frozenOperation(number) else { return .answered(number, OutcomeSummary()) }
        let count = operation.memberCount
        guard !journal.mayBeForgotten(operation, at: time.now) else { return .operationFailed(number, memberCount: count, .operationUnknown) }
        sentCount += 1
        if lostRequests > 0 {
            lostRequests -= 1
            return .operationFailed(number, memberCount: count, .unreachable("refused"))
        }
        do {
            let response = try zone.modify(operation.body, id: operation.id)
            guard lostAnswers > 0 else {
                work.append(.answer(number, response))
                return nil
            }
            lostAnswers -= 1
            return .operationFailed(number, memberCount: count, .unreachable("reset"))
        } catch let error as ServerError where error.code == .limitExceeded {
            return .operationFailed(number, memberCount: count, .tooLarge(error.limits))
        } catch let error as ServerError where error.code == .operationIDReused {
            return .operationFailed(number, memberCount: count, .operationUnknown)
        }
    }
}

extension Store {
    /// With their bytes, the oldest first.
    func frozenOperations() throws -> [FrozenOperation] { try frozenOperationNumbers().compactMap { try frozenOperation($0) } }
}
