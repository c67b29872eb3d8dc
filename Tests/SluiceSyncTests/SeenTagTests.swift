import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// What the service has acknowledged and the token does not cover is kept, said with every request that conclusions are drawn from, and let go when a
/// page covers it.
@Suite struct SeenTagTests {
    private let pair: DevicePair
    private let exchange: SyncExchange
    private var device: DeviceDouble { pair.a }

    init() throws {
        pair = try DevicePair([Entity("Note", attributes: [Attribute("text", .string, isOptional: true)])])
        try pair.put(pair.a, "Note", "n", ["text": .string("synced")])
        try pair.settle()
        exchange = SyncExchange(pair.a.journal)
    }

    private var now: Int64 { device.time.now }

    /// Sends one record and records what the service answered with.
    @discardableResult
    private func send(_ tag: ChangeTag?, isDeletion: Bool = false) throws -> OutcomeSummary {
        if isDeletion { try pair.delete(device, "n") } else { try pair.put(device, "Note", "n", ["text": .string("edit \(tag?.sequence ?? 0)")]) }
        guard case .done(let report) = try exchange.begin(.freeze(count: 1, limits: .cloudKit), at: now), case .froze(let frozen)? = report.event else {
            throw CancellationError()
        }
        let number = try #require(frozen.first?.number)
        let result: RecordResult =
            isDeletion ? .record(Record("n", changeTag: tag?.text, isDeleted: true)) : .thin(recordName: "n", changeTag: tag?.text ?? "k3", modified: 0)
        let body = try RecordsResponse(records: [result]).encoded()
        guard case .answered(_, let summary)? = try exchange.finish(.send(number), with: ExchangeAnswer(status: 200, body: body), at: now).event else {
            throw CancellationError()
        }
        return summary
    }

    private func asked() throws -> [String] {
        guard case .request(let request) = try exchange.begin(.pullPage(fullFetch: false), at: now) else { throw CancellationError() }
        return try #require(try ZoneChangesRequest(decoding: request.body).zones.first).seenTags
    }

    private func answer(moreComing: Bool) throws {
        let page = ZoneChanges(ZoneID("z"), syncToken: "z2.next", moreComing: moreComing, records: [])
        let body = try ZoneChangesResponse(zones: [.changes(page)], epoch: pair.zone.epoch).encoded()
        _ = try exchange.finish(.pullPage(fullFetch: false), with: ExchangeAnswer(status: 200, body: body), at: now)
    }

    private func tag(_ sequence: Int64, _ nonce: UInt64) -> ChangeTag { ChangeTag(sequence: sequence, nonce: nonce) }

    @Test func `the tag of each answer is said with the feed until its last page, and not after`() throws {
        #expect(try asked() == [])
        try send(tag(7, 1))
        try send(tag(9, 2))
        #expect(try asked() == [tag(7, 1).text, tag(9, 2).text])
        try answer(moreComing: true)
        #expect(try asked() == [tag(7, 1).text, tag(9, 2).text])
        // One that came meanwhile is not covered by a page that was asked for before.
        try send(tag(11, 3))
        try answer(moreComing: false)
        #expect(try asked() == [tag(11, 3).text])
        try device.crash()
        #expect(try device.journal.seenTags == [tag(11, 3).text])
    }

    @Test func `of one commit the last version stands for all, of two commits neither for the other`() throws {
        try send(tag(7, 1))
        try send(tag(6, 1))
        try send(tag(8, 2), isDeletion: true)
        #expect(try asked() == [tag(7, 1).text, tag(8, 2).text])
    }

    @Test func `a lookup says them too, and what it finds is one of them`() throws {
        try send(tag(7, 1))
        try pair.put(device, "Note", "n", ["text": .string("later")])
        _ = try device.journal.freeze(1, limits: .cloudKit, at: now, latestStamp: nil) { UUID() }
        try device.store.thaw(try #require(try device.store.frozenOperations().first).number, reconciling: true)
        guard case .request(let request) = try exchange.begin(.reconcile(count: 1), at: now) else { throw CancellationError() }
        let lookup = try LookupRequest(decoding: request.body)
        #expect(lookup.seenTags == [tag(7, 1).text])
        #expect(try lookup.syncToken == device.journal.token && lookup.syncToken != nil)
        let body = try RecordsResponse(records: [.record(Record("n", type: "Note", changeTag: tag(9, 2).text))], epoch: pair.zone.epoch).encoded()
        _ = try exchange.finish(.reconcile(count: 1), with: ExchangeAnswer(status: 200, body: body), at: now)
        #expect(try asked() == [tag(7, 1).text, tag(9, 2).text])
    }

    @Test func `they go with a zone and with a timeline, and stay where only the token is too old`() throws {
        for (reason, isKept) in [
            (SyncJournal.FullFetchReason.tokenExpired, true), (.serviceLostMemory, false), (.encryptedDataReset, false), (.zoneDeleted, false), (.zonePurged, false),
        ] {
            _ = try device.journal.noteSeen(tag(7, 1))
            try device.journal.beginFullFetch(reason)
            #expect(try !asked().isEmpty == isKept)
        }
        // A fetch from nothing is covered by its first page, whose token names the head.
        _ = try device.journal.noteSeen(tag(7, 1))
        #expect(try !asked().isEmpty)
        try answer(moreComing: true)
        #expect(try asked().isEmpty)
    }

    @Test func `a service without a timeline is told nothing, and nothing is kept of it`() throws {
        try device.store.setSyncValue(.null, for: .epoch)
        try send(tag(7, 1))
        try send(nil)
        #expect(try device.journal.seenTags.isEmpty)
        #expect(try asked().isEmpty)
        let names = try LookupRequest(recordNames: ["n"], zoneID: ZoneID("z")).encoded()
        #expect(!String(decoding: names, as: UTF8.self).contains("seen"))
    }

    @Test func `I-10 with many of them the feed is asked before more is sent`() throws {
        let many = (1...SyncJournal.seenTagsMax).map { tag(Int64($0), UInt64($0)).text }
        try device.store.setSyncValue(.text(many.joined(separator: " ")), for: .seenTags)
        #expect(try send(tag(1_000, 1)).mustConfirm == false)
        #expect(try send(tag(1_001, 1_001)).mustConfirm)
        var core = SyncCore()
        var effects: [SyncEffect] = []
        var summary = OutcomeSummary()
        summary.mustConfirm = true
        for event in [
            SyncEvent.started(hasToken: true, frozen: [.init(1), .init(2)], isFullFetch: false), .identified(epochChanged: false, limits: nil),
            .appliedPage(moreComing: false, recordCount: 0), .finishedFeed, .reconciled(remaining: false, needsPull: false), .answered(1, summary),
            .answered(2, summary),
        ] { effects = core.handle(event, at: 0, random: 0) }
        #expect(effects == [.pullPage(fullFetch: false)])
    }

    @Test func `a service that does not know what it said in a lookup is asked for the feed, and left alone if that does not mend it`() throws {
        var core = SyncCore()
        var effects: [SyncEffect] = []
        for event in [
            SyncEvent.started(hasToken: true, frozen: [], isFullFetch: false), .identified(epochChanged: false, limits: nil),
            .appliedPage(moreComing: false, recordCount: 0), .finishedFeed, .reconcileFailed(.tokenExpired(sameTimeline: true)),
        ] { effects = core.handle(event, at: 0, random: 0) }
        #expect(effects == [.pullPage(fullFetch: false)])
        for event in [SyncEvent.appliedPage(moreComing: false, recordCount: 0), .finishedFeed, .reconcileFailed(.tokenExpired(sameTimeline: true))] {
            effects = core.handle(event, at: 0, random: 0)
        }
        guard case .wake? = effects.first else { return #expect(Bool(false), "\(effects)") }
    }
}
