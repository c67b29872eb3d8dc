import Foundation
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// A service that was put back to a plain copy of its files has the token of who wrote just before, and not the write: the change tag of the answer
/// says so.
@Suite struct SeenVersionTests {
    private func page(_ fixture: StorageFixture, _ token: SyncToken?, _ seen: [ChangeTag]) async throws -> FeedPage {
        try await fixture.storage.zoneChanges(FeedQuery(zone: fixture.zone, token: token, limit: 10, seen: seen), in: fixture.database)
    }

    /// What a reader of the feed, and one of a record, is told.
    private func refusals(_ fixture: StorageFixture, _ token: SyncToken?, _ seen: [ChangeTag]) async -> [String] {
        var refusals: [String] = []
        do { _ = try await page(fixture, token, seen) } catch { refusals.append("feed: \(error)") }
        do {
            _ = try await fixture.storage.records(named: ["kept"], zone: fixture.zone, knowing: KnownPast(token: token, seen: seen), in: fixture.database)
        } catch { refusals.append("lookup: \(error)") }
        return refusals
    }

    private func tags(_ results: [RecordResult]) throws -> [ChangeTag] {
        try results.map { try #require(($0.changeTag ?? $0.record?.changeTag).flatMap(ChangeTag.init(text:))) }
    }

    private static let refused = ["feed: \(StorageError.tokenOfAnotherTimeline)", "lookup: \(StorageError.tokenOfAnotherTimeline)"]

    @Test(arguments: StorageEngine.allCases)
    func `a copy that is put back without a word knows the token of before, and not what was acknowledged since`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let kept = try tags(try await fixture.done([create("kept")]))
        let token = try await fixture.page().token
        try await fixture.backUp()
        let lost = try tags(try await fixture.done([create("lost"), create("lost too")]))
        #expect(try await page(fixture, token, kept + lost).records.count == 2)
        try await fixture.restoreBackup()
        #expect(await refusals(fixture, token, kept) == [])
        for tag in lost { #expect(await refusals(fixture, token, [tag]) == Self.refused) }
        #expect(await refusals(fixture, token, kept + lost.suffix(1)) == Self.refused)
        // Later the same places are taken, by others.
        try await fixture.done([create("new"), create("newer")])
        for tag in lost { #expect(await refusals(fixture, token, [tag]) == Self.refused) }
        #expect(await refusals(fixture, nil, lost) == Self.refused)
    }

    @Test(arguments: StorageEngine.allCases)
    func `versions that no commit here made are of another timeline, deletions among them are not`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let made = try tags(try await fixture.done([create("kept"), create("gone")]))
        let deleted = try tags(try await fixture.done([RecordOperation(.forceDelete, Record("gone"))], buriesUnknown: true))
        let token = try await fixture.page(limit: 1).token
        #expect(await refusals(fixture, token, made + deleted) == [])
        #expect(await refusals(fixture, token, [ChangeTag(sequence: made[0].sequence, nonce: made[0].nonce &+ 1)]) == Self.refused)
        #expect(await refusals(fixture, token, [ChangeTag(sequence: deleted[0].sequence + 1, nonce: deleted[0].nonce)]) == Self.refused)
        // A lookup whose token is of a zone that was made again since.
        for kind in [ZoneOperation.Kind.delete, .create] { _ = try await fixture.storage.modifyZones([ZoneOperation(kind, fixture.zone)], in: fixture.database) }
        let answers = await refusals(fixture, token, [])
        #expect(answers.count == 2 && answers[1] == Self.refused[1])
    }

    @Test(arguments: StorageEngine.allCases)
    func `who wrote once and never asked again fetches everything after 90 days, and what does not come was deleted`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let token = try await fixture.page().token
        let seen = try tags(try await fixture.done([create("kept"), create("gone")]))
        try await fixture.done([RecordOperation(.forceDelete, Record("gone"))])
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.storage.prune()
        #expect(try await page(fixture, token, []).records.count == 1)
        let error = await #expect(throws: StorageError.self) { try await page(fixture, token, seen) }
        guard case .tokenTooOld? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await page(fixture, nil, seen).records.count == 1)
        #expect(try await fixture.storage.records(named: ["kept"], zone: fixture.zone, knowing: KnownPast(token: token, seen: seen), in: fixture.database).count == 1)
    }

    @Test func `only Sluice clients say what they have seen, in feeds and lookups, and not without bound`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let written: RecordsResponse = try await fixture.write([create("kept")]).decoded()
            let good = try #require(written.records[0].record?.changeTag)
            let token = try await fixture.feed().zones.compactMap { if case .changes(let page) = $0 { page.syncToken } else { nil } }[0]
            func feed(_ tags: [String]) async throws -> ZoneChangesResponse {
                try await fixture.sluice(.zoneChanges, ZoneChangesRequest(zones: [.init(ZoneID("Notes"), syncToken: token, seenTags: tags)])).decoded()
            }
            func lookUp(_ tags: [String]) async throws -> ServiceFixture.Answer {
                try await fixture.sluice(
                    .recordsLookup, LookupRequest(recordNames: ["kept"], zoneID: ZoneID("Notes"), syncToken: token, seenTags: tags))
            }
            guard case .changes? = try await feed([good]).zones.first else { throw CancellationError() }
            #expect(try await lookUp([good]).status == 200)
            for bad in ["1.7.0000000000000001", "k3q"] {
                guard case .failure(_, let error)? = try await feed([good, bad]).zones.first else { throw CancellationError() }
                #expect(error.code == .changeTokenExpired && error.epoch == nil)
                let refused = try await lookUp([good, bad])
                #expect(refused.status == 410)
                #expect(try refused.code == "CHANGE_TOKEN_EXPIRED")
            }
            let many = [String](repeating: good, count: ServiceRequest.seenTagsMax + 1)
            guard case .failure(_, let error)? = try await feed(many).zones.first else { throw CancellationError() }
            #expect(error.code == .badRequest)
            #expect(try await lookUp(many).status == 400)
            let foreign = try await fixture.foreign(
                .zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"Notes"},"seenChangeTags":["1.7.0000000000000001"]}]}"#)
            #expect(!foreign.text.contains("serverErrorCode"))
        }
    }
}
