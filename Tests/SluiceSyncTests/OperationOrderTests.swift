import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Several operations are on their way together, and the service takes them in any order: none may overtake what it refers to.
@Suite struct OperationOrderTests {
    private let pair: DevicePair

    init() throws { pair = try DevicePair() }

    /// What would go out in operations of two records each.
    private func freeze(_ count: Int) throws -> [QueuedOperation] {
        try pair.a.journal.freeze(count, limits: ServiceLimits(operations: 2, bytes: 1 << 20), at: pair.a.time.now, latestStamp: nil) { UUID() }
    }

    @Test func `a child in another operation than its new parent follows that one, and strangers follow nobody`() throws {
        for name in ["S1", "S2", "S3"] { try pair.put(pair.a, "Shelf", name, ["title": .string(name)]) }
        try pair.put(pair.a, "Box", "B1", to: ["shelf": "S1"])
        try pair.put(pair.a, "Box", "B2", to: ["shelf": "S3"])
        try pair.put(pair.a, "Note", "N1", to: ["box": "B1"])
        for name in ["N2", "N3"] { try pair.put(pair.a, "Note", name) }
        let queued = try freeze(4)
        // S1 S2 · S3 B1 · B2 N1 · N2 N3
        #expect(queued.map { $0.after.map { $0 - queued[0].number } } == [nil, 0, 1, nil])
        #expect(try pair.a.store.queuedOperations() == queued)
    }

    @Test func `a reference to what the service has already makes no order, and a new one to a new record does`() throws {
        try pair.put(pair.a, "Shelf", "S1", ["title": .string("old")])
        try pair.put(pair.a, "Box", "B1", to: ["shelf": "S1"])
        try pair.a.sync()
        try pair.put(pair.a, "Shelf", "S1", ["title": .string("edited")])
        try pair.put(pair.a, "Shelf", "S2", ["title": .string("new")])
        try pair.put(pair.a, "Box", "B2", to: ["shelf": "S1"])
        try pair.put(pair.a, "Box", "B1", to: ["shelf": "S2"])
        try pair.put(pair.a, "Box", "B3", to: ["shelf": "S1"])
        try pair.put(pair.a, "Box", "B4", to: ["shelf": "S1"])
        let queued = try freeze(4)
        // S1 S2 · B1 B2 · B3 B4
        #expect(queued.map { $0.after.map { $0 - queued[0].number } } == [nil, 0, nil])
    }

    @Test func `a deletion follows what was said of rows that may have referred to the record`() throws {
        for name in ["S1", "S2"] { try pair.put(pair.a, "Shelf", name, ["title": .string(name)]) }
        for name in ["B1", "B2"] { try pair.put(pair.a, "Box", name, to: ["shelf": "S1"]) }
        try pair.a.sync()
        try pair.delete(pair.a, "B2")
        try pair.put(pair.a, "Box", "B1", to: ["shelf": "S2"])
        try pair.put(pair.a, "Note", "N")
        try pair.delete(pair.a, "S1")
        let queued = try freeze(4)
        // B1 N · B2 S1: the box that moved is said first, then the shelf goes.
        #expect(queued.map { $0.after.map { $0 - queued[0].number } } == [nil, 0])
    }

    // MARK: The core

    private func started() -> SyncCore {
        var core = SyncCore()
        for event: SyncEvent in [
            .started(hasToken: true, frozen: [], isFullFetch: false), .identified(epochChanged: false, limits: nil), .zoneReady,
            .appliedPage(moreComing: false, recordCount: 0), .finishedFeed, .reconciled(remaining: false, needsPull: false), .froze([]),
        ] { _ = core.handle(event, at: 0, random: 0) }
        return core
    }

    @Test func `the core sends what follows nobody together, and the rest after what it follows is settled`() throws {
        var core = started()
        let queued = [QueuedOperation(1), QueuedOperation(2, after: 1), QueuedOperation(3), QueuedOperation(4, after: 2)]
        #expect(core.handle(.froze(queued), at: 0, random: 0).filter(\.isSending) == [.send(1), .send(3)])
        #expect(core.handle(.answered(3, OutcomeSummary()), at: 0, random: 0).filter(\.isSending) == [])
        #expect(core.handle(.answered(1, OutcomeSummary()), at: 0, random: 0).filter(\.isSending) == [.send(2)])
        #expect(core.handle(.answered(2, OutcomeSummary()), at: 0, random: 0).filter(\.isSending) == [.send(4)])
    }

    @Test func `after a failure on the way what was to follow waits for the next attempt`() throws {
        var core = started()
        _ = core.handle(.froze([QueuedOperation(1), QueuedOperation(2, after: 1)]), at: 0, random: 0)
        _ = core.handle(.operationFailed(1, memberCount: 1, .unreachable("reset")), at: 0, random: 0)
        let later: Int64 = 10_000_000
        #expect(core.handle(.woke, at: later, random: 0).filter(\.isSending) == [.send(1)])
        #expect(core.handle(.answered(1, OutcomeSummary()), at: later, random: 0).filter(\.isSending) == [.send(2)])
    }

    @Test func `what follows an operation that is given up goes out when that is done`() throws {
        var core = started()
        _ = core.handle(.froze([QueuedOperation(1), QueuedOperation(2, after: 1)]), at: 0, random: 0)
        #expect(core.handle(.operationFailed(1, memberCount: 2, .malformed("bad")), at: 0, random: 0).filter(\.isSending) == [])
        // Meanwhile it looks for more to send.
        #expect(core.handle(.froze([]), at: 0, random: 0).filter(\.isSending) == [])
        #expect(core.handle(.gaveUp(1, reconciling: false), at: 0, random: 0).filter(\.isSending) == [.send(2)])
    }

    @Test func `news that come while a page is on its way are asked for after the end of the feed`() throws {
        var core = started()
        #expect(core.handle(.shouldPull, at: 0, random: 0) == [.pullPage(fullFetch: false)])
        #expect(core.handle(.shouldPull, at: 0, random: 0) == [])
        #expect(core.handle(.appliedPage(moreComing: false, recordCount: 3), at: 0, random: 0) == [.finishFeed])
        #expect(core.handle(.finishedFeed, at: 0, random: 0) == [.pullPage(fullFetch: false)])
        _ = core.handle(.appliedPage(moreComing: false, recordCount: 0), at: 0, random: 0)
        #expect(!core.handle(.finishedFeed, at: 0, random: 0).contains(.pullPage(fullFetch: false)))
    }
}

extension SyncEffect {
    fileprivate var isSending: Bool { if case .send = self { true } else { false } }
}
