import Foundation
import SluiceRecords
import Synchronization
import Testing

@testable import SluiceRecordService

/// What every storage engine keeps about feeds, tokens, zones and their memory.
@Suite struct FeedStorageTests {
    @Test(arguments: StorageEngine.allCases)
    func `field report R5: 250 records of one instant arrive once each over pages of 100`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let names = (0..<250).map { "r\($0)" }
        try await fixture.done(names.map(create))
        #expect(try await fixture.feed(limit: 100).names == names)
        let first = try await fixture.page(limit: 100)
        #expect(first.records.count == 100 && first.moreComing)
        let exact = try await fixture.page(limit: 250)
        #expect(exact.records.count == 250 && !exact.moreComing)
    }

    @Test(arguments: StorageEngine.allCases)
    func `the feed has the last state of each record, deletions as tombstones, in the order of change`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done(["a", "b", "c"].map(create))
        let token = try await fixture.feed().token
        try await fixture.done([RecordOperation(.forceUpdate, note("b", ["n": Field(.int64(5))]))])
        try await fixture.done([RecordOperation(.forceDelete, Record("a")), create("d")])
        try await fixture.done([RecordOperation(.forceUpdate, note("b", ["n": Field(.int64(6))])), RecordOperation(.forceDelete, Record("d"))])
        let page = try await fixture.page(token)
        #expect(page.records.map(\.head.recordName) == ["a", "b", "d"])
        #expect(page.records.map(\.head.isDeleted) == [true, false, true])
        #expect(try page.records[1].decoded().fields["n"] == Field(.int64(6)))
        #expect(try await fixture.feed(page.token).names == [])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a reversed feed pages from the newest to the oldest, and types filter all but tombstones`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done(["a", "b", "c"].map(create) + [RecordOperation(.create, Record("x", type: "Other"))])
        let first = try await fixture.page(limit: 3, isReversed: true)
        #expect(first.records.map(\.head.recordName) == ["x", "c", "b"] && first.moreComing)
        let second = try await fixture.page(first.token, limit: 3, isReversed: true)
        #expect(second.records.map(\.head.recordName) == ["a"] && !second.moreComing)
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))])
        #expect(try await fixture.page(types: ["Other"]).records.map(\.head.recordName) == ["x", "a"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a database restored from an older copy and written on is noticed by token and by tag`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("old")])
        let oldToken = try await fixture.feed().token
        try await fixture.backUp()
        let lostTag = try #require(await fixture.done([create("lost")])[0].changeTag)
        let token = try await fixture.feed().token
        try await fixture.restoreBackup()
        // At once: the token's entry is not there. Later: an entry of that number is there, with another nonce.
        await #expect(throws: StorageError.self) { try await fixture.page(token) }
        try await fixture.done([create("lost")])
        await #expect(throws: StorageError.self) { try await fixture.page(token) }
        #expect(try await fixture.done([RecordOperation(.update, note("lost", tag: lostTag))])[0].error?.code == .conflict)
        #expect(try await fixture.feed(oldToken).names == ["lost"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a token of another epoch is refused as one of another timeline`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let token = try await fixture.page().token
        let foreign = SyncToken(.zone, epoch: Epoch(rawValue: token.epoch.rawValue &+ 1), sequence: token.sequence, nonce: token.nonce)
        let error = await #expect(throws: StorageError.self) { try await fixture.page(foreign) }
        guard case .tokenOfAnotherTimeline? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test(arguments: StorageEngine.allCases)
    func `32 the deletion of a record that a service has lost leaves a tombstone in the feed`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let token = try await fixture.page().token
        try await fixture.done([RecordOperation(.forceDelete, note("lost"))], buriesUnknown: true)
        #expect(try await fixture.page(token).records.map(\.head.isDeleted) == [true])
        let next = try await fixture.page(token).token
        try await fixture.done([RecordOperation(.forceDelete, note("unheard of"))])
        #expect(try await fixture.page(next).records.isEmpty)
    }

    @Test(arguments: StorageEngine.allCases)
    func `a zone that was deleted and made again begins a new history`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("r")])
        let token = try await fixture.feed().token
        let before = try await fixture.storage.databaseChanges(since: nil, limit: 10, in: fixture.database)
        #expect(before.zones.map(\.zoneID.zoneName) == ["Notes"])
        _ = try await fixture.storage.modifyZones([ZoneOperation(.delete, fixture.zone, deletionReason: .purged)], in: fixture.database)
        await #expect(throws: StorageError.self) { try await fixture.page() }
        let deleted = try await fixture.storage.databaseChanges(since: before.token, limit: 10, in: fixture.database)
        #expect(deleted.zones.map(\.isDeleted) == [true] && deleted.zones[0].deletionReason == .purged)
        #expect(try await fixture.storage.databaseChanges(since: nil, limit: 10, in: fixture.database).zones == [])

        _ = try await fixture.storage.modifyZones([ZoneOperation(.create, fixture.zone)], in: fixture.database)
        await #expect(throws: StorageError.self) { try await fixture.page(token) }
        try await fixture.done([create("r")])
        await #expect(throws: StorageError.self) { try await fixture.page(token) }
        #expect(try await fixture.feed().names == ["r"])
        let again = try await fixture.storage.databaseChanges(since: deleted.token, limit: 10, in: fixture.database)
        #expect(again.zones.map(\.isDeleted) == [false])
        #expect(try await fixture.storage.databaseChanges(since: again.token, limit: 10, in: fixture.database).zones == [])
    }

    /// What a reader with that token is told.
    private func refusal(_ fixture: StorageFixture, _ token: SyncToken?) async -> StorageError? {
        do throws(StorageError) {
            _ = try await fixture.storage.zoneChanges(FeedQuery(zone: fixture.zone, token: token, limit: 10), in: fixture.database)
            return nil
        } catch { return error }
    }

    @Test(arguments: StorageEngine.allCases)
    func `29 who comes back with the token of a zone that is no more learns why it went, though it was made again`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        func modify(_ kind: ZoneOperation.Kind, _ reason: ZoneDeletionReason? = nil) async throws {
            _ = try await fixture.storage.modifyZones([ZoneOperation(kind, fixture.zone, deletionReason: reason)], in: fixture.database)
        }
        try await fixture.done([create("r")])
        let first = try await fixture.feed().token
        try await modify(.delete, .encryptedDataReset)
        guard case .zoneDeleted(_, .encryptedDataReset, isBack: false)? = await refusal(fixture, first) else { throw Unexpected() }
        try await modify(.create)
        guard case .zoneDeleted(_, .encryptedDataReset, isBack: true)? = await refusal(fixture, first) else { throw Unexpected() }
        let second = try await fixture.feed().token
        try await modify(.delete, .purged)
        guard case .zoneDeleted(_, .purged, isBack: false)? = await refusal(fixture, second) else { throw Unexpected() }
        // Of two ends the one counts that leaves the least to be sent again.
        guard case .zoneDeleted(_, .purged, isBack: false)? = await refusal(fixture, first) else { throw Unexpected() }
        try await modify(.create)
        try await fixture.done([create("r")])
        guard case .zoneDeleted(_, .purged, isBack: true)? = await refusal(fixture, second) else { throw Unexpected() }
        // A zone that nobody heard of was made after this copy of the tables; one of another epoch says nothing about this one.
        let unknown = SyncToken(.zone, epoch: second.epoch, origin: 7, sequence: 3, nonce: 8)
        guard case .tokenOfAnotherTimeline? = await refusal(fixture, unknown) else { throw Unexpected() }
        let foreign = SyncToken(.zone, epoch: Epoch(rawValue: second.epoch.rawValue &+ 1), origin: second.origin, sequence: second.sequence, nonce: second.nonce)
        guard case .tokenOfAnotherTimeline? = await refusal(fixture, foreign) else { throw Unexpected() }
        try await modify(.delete, .deleted)
        guard case .zoneNotFound? = await refusal(fixture, unknown) else { throw Unexpected() }
    }

    private struct Unexpected: Error {}

    @Test(arguments: StorageEngine.allCases)
    func `the database's feed pages zones in the order of their last change`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        _ = try await fixture.storage.modifyZones(["A", "B"].map { ZoneOperation(.create, ZoneID($0)) }, in: fixture.database)
        _ = try await fixture.modify([create("r")])
        let first = try await fixture.storage.databaseChanges(since: nil, limit: 2, in: fixture.database)
        #expect(first.zones.map(\.zoneID.zoneName) == ["A", "B"] && first.moreComing)
        let second = try await fixture.storage.databaseChanges(since: first.token, limit: 2, in: fixture.database)
        #expect(second.zones.map(\.zoneID.zoneName) == ["Notes"] && !second.moreComing)
    }

    @Test(arguments: StorageEngine.allCases)
    func `tombstones and tokens are forgotten after 90 days, a reader who was up to date is not`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("a"), create("b")])
        let stale = try await fixture.feed().token
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))])
        let current = try await fixture.feed().token
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.storage.prune()
        await #expect(throws: StorageError.self) { try await fixture.page(stale) }
        #expect(try await fixture.feed(current).names == [])
        #expect(try await fixture.feed().names == ["b"])
        try await fixture.done([create("c")])
        #expect(try await fixture.feed(current).names == ["c"])
    }

    @Test(arguments: StorageEngine.allCases)
    func `a token from the middle of a commit expires with the tombstone behind it`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        try await fixture.done([create("a"), create("b")])
        let start = try await fixture.page().token
        try await fixture.done([RecordOperation(.forceUpdate, note("a")), RecordOperation(.forceDelete, Record("b"))])
        let middle = try await fixture.page(start, limit: 1)
        #expect(middle.moreComing)
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.storage.prune()
        await #expect(throws: StorageError.self) { try await fixture.page(middle.token) }
    }

    @Test(arguments: StorageEngine.allCases)
    func `28 a zone with a long past is fetched from nothing in pages, unless a tombstone goes meanwhile`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        for name in ["a", "b", "c", "d"] { try await fixture.done([create(name)]) }
        try await fixture.done([RecordOperation(.forceDelete, Record("d"))])
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.storage.prune()
        let first = try await fixture.page(limit: 1)
        let second = try await fixture.page(first.token, limit: 1)
        #expect(second.records.map(\.head.recordName) == ["b"] && second.moreComing)
        #expect(try await fixture.feed(second.token).names == ["c"])
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))])
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.storage.prune()
        await #expect(throws: StorageError.self) { try await fixture.page(second.token) }
    }

    @Test(arguments: StorageEngine.allCases)
    func `8 writers on one zone, a reader paging meanwhile: each version once, in order, none skipped`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let writes = 60
        let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<writes { try await fixture.done([create("w\(writer)-\(number)")]) }
                    return []
                }
            }
            group.addTask {
                var sequences: [Int64] = []
                var token: SyncToken?
                while sequences.count < 8 * writes {
                    let page = try await fixture.page(token, limit: 7)
                    sequences += page.records.compactMap { $0.head.changeTag.flatMap(ChangeTag.init(text:))?.sequence }
                    token = page.token
                }
                return sequences
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen == Array(1...Int64(8 * writes)))
    }

    /// Ten seconds per storage; `SLUICE_FEED_SECONDS` says another time. PostgreSQL with two processes' storages: one alone has it easier.
    @Test(.timeLimit(.minutes(20)), arguments: [StorageEngine.sqlite, .postgresqlPair])
    func `32 writers on one zone while readers page the feed: every version once, no gap, no collision`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let seconds = ProcessInfo.processInfo.environment["SLUICE_FEED_SECONDS"].flatMap { Int($0) } ?? 10
        let end = ContinuousClock.now + .seconds(seconds)
        let written = FeedCount()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<32 {
                group.addTask {
                    defer { written.finish() }
                    for number in 0... {
                        if ContinuousClock.now >= end { break }
                        // New records only: each version is the only one of its record, so the feed has to show every one of them.
                        let results = try await fixture.done((0..<(1 + writer % 3)).map { create("w\(writer)-\(number)-\($0)") })
                        written.add(results.compactMap { $0.changeTag.flatMap(ChangeTag.init(text:))?.sequence })
                    }
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    var (token, next) = (SyncToken?.none, Int64(1))
                    while true {
                        let isOver = written.isOver(of: 32)
                        let page = try await fixture.page(token, limit: [7, 50, 200][reader])
                        for record in page.records {
                            let sequence = try #require(record.head.changeTag.flatMap(ChangeTag.init(text:))?.sequence)
                            try #require(sequence == next, "reader \(reader) saw \(sequence) after \(next - 1)")
                            next += 1
                        }
                        token = page.token
                        if isOver, !page.moreComing { break }
                    }
                    #expect(next - 1 == written.highest)
                }
            }
            try await group.waitForAll()
        }
        let sequences = written.all
        #expect(sequences.count > 32 && sequences.sorted() == Array(1...Int64(sequences.count)))
    }

    @Test(arguments: StorageEngine.allCases)
    func `a watch registered before a commit sees it, and a wait ends with its task`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let other = try await StorageFixture.addUser("bob", to: fixture.storage)
        let watch = fixture.storage.watch(fixture.database)
        try await fixture.done([create("r")])
        await watch.wait(.seconds(60))  // returns at once, or the test runs into its limit
        let quiet = fixture.storage.watch(other)
        try await fixture.done([create("s")])
        let task = Task { await quiet.wait(.seconds(60)) }
        task.cancel()
        await task.value
    }
}

/// The versions that writers were told of.
private final class FeedCount: Sendable {
    private let state = Mutex<(sequences: [Int64], finished: Int)>(([], 0))

    func add(_ sequences: [Int64]) { state.withLock { $0.sequences += sequences } }
    func finish() { state.withLock { $0.finished += 1 } }
    func isOver(of count: Int) -> Bool { state.withLock { $0.finished == count } }
    var all: [Int64] { state.withLock { $0.sequences } }
    var highest: Int64 { all.max() ?? 0 }
}
