import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import SluiceSQLite
import Testing

@testable import SluiceSync

/// A lookup at a service that was put back, before this device has heard of it: what it finds is older than what is here, and nobody's edit.
@Suite struct LookupTimelineTests {
    private static let entities: [Entity] = [Entity("Note", attributes: [Attribute("text", .string, isOptional: true)])]

    /// What a lookup's answer comes to, in a store whose rows are of epoch 1.
    private func finish(_ epoch: Epoch?) throws -> (event: SyncEvent?, text: PropertyValue?) {
        let pair = try DevicePair(Self.entities)
        try pair.put(pair.a, "Note", "n", ["text": .string("synced")])
        try pair.settle()
        try pair.a.store.setSyncValue(.text(Epoch(rawValue: 1).text), for: .epoch)
        let exchange = SyncExchange(pair.a.journal)
        let old = Record("n", type: "Note", changeTag: ChangeTag(sequence: 1, nonce: 9).text, fields: [:])
        let body = try RecordsResponse(records: [.record(old)], epoch: epoch).encoded()
        let report = try exchange.finish(.reconcile(count: 1), with: ExchangeAnswer(status: 200, body: body), at: pair.a.time.now)
        return (report.event, try pair.row(pair.a, "n")?.attributes["text"])
    }

    @Test func `an answer of another timeline is not merged, and everything is given back first`() throws {
        let failure = #expect(throws: RequestFailure.self) { try finish(Epoch(rawValue: 2)) }
        #expect(failure == .tokenExpired(sameTimeline: false))
        var core = SyncCore()
        var effects: [SyncEffect] = []
        for event in [
            SyncEvent.started(hasToken: true, frozen: [], isFullFetch: false), .identified(epochChanged: false, limits: nil),
            .appliedPage(moreComing: false, recordCount: 0), .finishedFeed, .reconcileFailed(.tokenExpired(sameTimeline: false)),
        ] { effects = core.handle(event, at: 0, random: 0) }
        #expect(effects == [.beginFullFetch(.serviceLostMemory)])
    }

    @Test(arguments: [Epoch(rawValue: 1), nil]) func `one of the same timeline, or of a service that has none, is the version that stands`(epoch: Epoch?) throws {
        let (event, text) = try finish(epoch)
        guard case .reconciled? = event else { throw CancellationError() }
        #expect(text == .null || text == nil)
    }
}
