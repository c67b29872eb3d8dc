import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore

@testable import SluiceSync

struct RecordDigestBox {
    private var digest = RecordDigest()

    mutating func add(_ record: Record) throws {
        try digest.add(name: record.recordName, type: record.recordType ?? "", fields: record.fields)
    }

    var text: String { digest.text }
}

/// A device that runs the core against a zone in memory, in one thread, and does nothing between two calls of `sync`.
final class DeviceDouble {
    struct Clock: Sendable {
        let milliseconds: @Sendable () -> Int64
    }

    final class Time: @unchecked Sendable {
        // Tests use one thread.
        var now: Int64 = 1_700_000_000_000
    }

    let folder: URL
    let store: Store
    let journal: SyncJournal
    let zone: ZoneDouble
    let time = Time()
    var core = SyncCore()
    private(set) var sentCount = 0
    private(set) var fullFetchCount = 0
    /// The answer to the next requests is lost after the service has done its work.
    var lostAnswers = 0
    private var random: UInt64 = 7
    private var hasStarted = false

    init(_ zone: ZoneDouble, _ entities: [Entity], folder: URL? = nil, policies: [String: ConflictPolicy] = [:]) throws {
        self.zone = zone
        self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        var options = Store.Options(zone: "z")
        let time = time
        options.now = { Date(timeIntervalSince1970: Double(time.now) / 1_000) }
        store = try Store(
            path: self.folder.appending(path: "Private.store").path, schema: Schema(name: "z", validating: entities), options: options)
        journal = try SyncJournal(store: store, zone: ZoneID("z"), policies: policies)
    }

    var latestStamp: Int64 { zone.clock + 300_000 }

    /// Runs until nothing is left to do, or until the core waits.
    func sync(limit: Int = 2_000) throws {
        var waiting: [SyncEffect] = []
        if hasStarted {
            waiting = handle(.shouldPull) + handle(.changedLocally)
        } else {
            hasStarted = true
            waiting = handle(
                .started(
                    hasToken: try journal.token != nil, frozen: try store.frozenOperations().map(\.number),
                    isFullFetch: try journal.currentFullFetch != nil))
        }
        var steps = 0
        while !waiting.isEmpty {
            steps += 1
            guard steps < limit else { throw Stuck(state: core.state) }
            waiting += handle(try perform(waiting.removeFirst()))
        }
    }

    struct Stuck: Error { let state: SyncState }

    /// Lets time pass until the core's next attempt.
    func passTime(_ milliseconds: Int64) throws {
        time.now += milliseconds
        zone.clock += milliseconds
        var waiting = handle(.woke)
        while !waiting.isEmpty { waiting += handle(try perform(waiting.removeFirst())) }
    }

    private func handle(_ event: SyncEvent?) -> [SyncEffect] {
        guard let event else { return [] }
        random = random &* 6_364_136_223_846_793_005 &+ 1
        return core.handle(event, at: time.now, random: random)
    }

    private func perform(_ effect: SyncEffect) throws -> SyncEvent? {
        switch effect {
        case .identify: return .identified(epochChanged: false, limits: nil)
        case .createZone: return .zoneReady
        case .wake: return nil
        case .beginFullFetch(let reason):
            fullFetchCount += 1
            try journal.beginFullFetch(reason)
            return .beganFullFetch
        case .pullPage:
            do {
                let page = try zone.changes(after: journal.token)
                _ = try journal.apply(page, epoch: zone.epoch, latestStamp: latestStamp)
                return .appliedPage(moreComing: page.moreComing, recordCount: page.records.count)
            } catch let error as ServerError {
                return .pullFailed(error.code == .changeTokenExpired ? .tokenExpired(sameTimeline: error.epoch == zone.epoch) : .refused("\(error)"))
            }
        case .finishFeed:
            _ = try journal.finishFeed(latestStamp: latestStamp)
            return .finishedFeed
        case .reconcile:
            let names = try store.recordsToReconcile(limit: 200)
            _ = try journal.reconcile(zone.lookup(names.map(\.text)), latestStamp: latestStamp)
            return .reconciled(remaining: try !store.recordsToReconcile(limit: 1).isEmpty)
        case .freeze(let count, let limits):
            let frozen = try journal.freeze(count, limits: limits, at: time.now, latestStamp: latestStamp) { UUID() }
            return .froze(frozen.map(\.number))
        case .send(let number): return try send(number)
        case .thaw(let number, let reconciling):
            try store.thaw(number, reconciling: reconciling)
            return nil
        case .setAside(let number, let reason):
            try store.settle(number, store.members(of: number).map { ($0.name, .setAside(reason: reason)) })
            return nil
        }
    }

    private func send(_ number: Int64) throws -> SyncEvent {
        guard let operation = try store.frozenOperation(number) else { return .froze([]) }
        sentCount += 1
        let response = try zone.modify(operation.body, id: operation.id)
        if lostAnswers > 0 {
            lostAnswers -= 1
            return .operationFailed(number, memberCount: operation.memberCount, .unreachable("reset"))
        }
        let retry = RetryTimes(now: time.now, standard: time.now + 1_000)
        return .answered(number, try journal.record(response, of: number, retry: retry))
    }
}
