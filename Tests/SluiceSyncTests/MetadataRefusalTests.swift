import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// A service whose schema has no field for merge metadata.
@Suite struct MetadataRefusalTests {
    private let pair: DevicePair

    init() throws {
        let text = { (name: String) in Attribute(name, .string, isOptional: true) }
        let entities = [
            Entity("Note", attributes: [text("late"), text("mine"), text("joined"), Attribute("count", .int64, isOptional: true), Attribute("labels", .codable, isOptional: true)])
        ]
        let join: MergeFunction = { _, local, remote in
            guard case .string(let mine) = local, case .string(let theirs) = remote else { return nil }
            return .string(theirs + mine)
        }
        let policy = EntityMergePolicy(fields: ["mine": .clientWins, "count": .counter, "labels": .union], functions: ["joined": join])
        pair = try DevicePair(entities, policies: MergePolicies(["Note": policy]))
        pair.zone.unknownFields = [RecordMapping.metadataField]
        try pair.put(pair.a, "Note", "n", ["late": .string("o"), "count": .integer(10)])
        try pair.settle()
    }

    private var device: DeviceDouble { pair.a }
    private var sent: Record? { pair.zone.entries["n"]?.record }

    private func labels(_ texts: String...) -> PropertyValue { .data(Data("[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)) }

    @Test func `records are sent without it, nothing is set aside, and the next start knows`() throws {
        #expect(try pair.a.journal.metadataIsRefused)
        #expect(sent?.fields["late"]?.value == .string("o") && sent?.fields[RecordMapping.metadataField] == nil)
        #expect(try pair.a.store.outboxSummary(at: .max).setAsideCount == 0)
        try pair.a.crash()
        let count = pair.zone.received.count
        try pair.put(pair.a, "Note", "n", ["late": .string("p")])
        try pair.settle()
        #expect(sent?.fields["late"]?.value == .string("p"))
        #expect(pair.zone.received.count == count + 1)
    }

    @Test func `of two edits the service's stands where metadata would have decided, and nowhere else`() throws {
        // Both have been refused once.
        try pair.put(pair.b, "Note", "other")
        try pair.settle()
        pair.pass(60_000)
        try pair.put(pair.a, "Note", "n", ["late": .string("a"), "mine": .string("a"), "joined": .string("a"), "count": .integer(11), "labels": labels("a")])
        pair.pass(60_000)
        try pair.put(pair.b, "Note", "n", ["late": .string("b"), "mine": .string("b"), "joined": .string("b"), "count": .integer(15), "labels": labels("b")])
        try pair.a.sync()
        try pair.settle()
        let values = try #require(try pair.row(pair.b, "n")).attributes
        #expect(values["late"] == .string("a") && values["mine"] == .string("b") && values["joined"] == .string("ab"))
        #expect(values["count"] == .integer(11))
        #expect(values["labels"] == labels("a", "b"))
        #expect(try pair.a.journal.metadataIsRefused && pair.b.journal.metadataIsRefused)
    }

    @Test(arguments: [false, true]) func `I-1 an edit on top of one that is on its way stands, though nothing tells the two from somebody else's`(isLost: Bool) throws {
        try pair.put(pair.a, "Note", "n", ["late": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.put(pair.a, "Note", "n", ["late": .string("b")])
        if isLost { pair.zone.forgetOperations() }
        // The feed brings the first edit back before the answer to it.
        try pair.a.crash()
        try pair.settle()
        #expect(sent?.fields["late"]?.value == .string("b"))
    }

    @Test func `it is tried again after a day and at a start, and policies are what they were once the service takes it`() throws {
        try pair.put(pair.a, "Note", "n", ["late": .string("p")])
        try pair.settle()
        pair.pass(SyncJournal.metadataRetryInterval)
        let count = pair.zone.received.count
        try pair.put(pair.a, "Note", "n", ["late": .string("q")])
        try pair.settle()
        // Once with, once without.
        #expect(pair.zone.received.count == count + 2)
        #expect(try pair.a.journal.metadataIsRefused)
        pair.zone.unknownFields = []
        try pair.put(pair.a, "Note", "n", ["late": .string("r")])
        try pair.settle()
        #expect(try pair.a.journal.metadataIsRefused && sent?.fields[RecordMapping.metadataField] == nil)
        _ = try SyncExchange(pair.a.journal).finish(
            .identify, with: ExchangeAnswer(status: 200, body: CallerResponse(userRecordName: "_u", epoch: nil, limits: nil).encoded()), at: pair.a.time.now)
        try pair.put(pair.a, "Note", "n", ["late": .string("s")])
        try pair.settle()
        #expect(try !pair.a.journal.metadataIsRefused && sent?.fields[RecordMapping.metadataField] != nil)
        #expect(!pair.a.journal.isWithoutMetadata)
    }

    @Test func `a request that is refused as a whole for it is sent again without, down to a single record`() throws {
        pair.pass(SyncJournal.metadataRetryInterval)
        try pair.put(pair.a, "Note", "n", ["late": .string("x")])
        let number = try #require(try pair.a.journal.freeze(1, limits: .cloudKit, at: pair.a.time.now, latestStamp: nil) { UUID() }.first?.number)
        let exchange = SyncExchange(pair.a.journal)
        let reason = "Cannot create or modify field 'sluice_meta' in record 'Note' in production schema"
        _ = try exchange.begin(.setAside(number, reason: reason), at: pair.a.time.now)
        #expect(try pair.a.store.outboxSummary(at: .max).setAsideCount == 0)
        let again = try #require(try pair.a.journal.freeze(1, limits: .cloudKit, at: pair.a.time.now, latestStamp: nil) { UUID() }.first?.number)
        #expect(try !pair.a.journal.carriesMetadata(again))
        // Where it was not in it, that was not the reason.
        _ = try exchange.begin(.setAside(again, reason: reason), at: pair.a.time.now)
        #expect(try pair.a.store.outboxSummary(at: .max).setAsideCount == 1)
    }
}
