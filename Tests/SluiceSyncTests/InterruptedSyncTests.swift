import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// Answers that come late, never, or from a service that is not what it was.
@Suite struct InterruptedSyncTests {
    let pair: DevicePair

    init() throws {
        pair = try DevicePair()
        try pair.put(pair.a, "Note", "note", ["text": .string("first"), "weight": .double(1)])
        try pair.settle()
    }

    @Test func `I-1 a lookup that was still to come when the program ended is made after the start`() throws {
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        // Nothing of the record is on the service: no page of the feed can stand in for the lookup.
        _ = try pair.a.journal.freeze(1, limits: .cloudKit, at: pair.a.time.now, latestStamp: nil) { UUID() }
        let operation = try #require(try pair.a.store.frozenOperations().first)
        try pair.a.store.thaw(operation.number, reconciling: true)
        try pair.a.crash()
        try pair.settle()
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("a"))
    }

    @Test func `operations that are frozen when a token expires are sent after the full fetch`() throws {
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        pair.a.lostRequests = 1
        try pair.a.sync()
        try pair.put(pair.b, "Note", "other")
        try pair.b.sync()
        try pair.delete(pair.b, "other")
        try pair.b.sync()
        pair.zone.forgetTombstones()
        try pair.settle()
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("a"))
        #expect(pair.a.fullFetchCount == 1)
    }

    @Test(arguments: [0, -60_000] as [Int64]) func `I-1 an edit on top of one that is on its way is the later one, whatever the clock says`(step: Int64) throws {
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        pair.a.time.now += step
        try pair.put(pair.a, "Note", "note", ["text": .string("b")])
        // The feed brings the first edit back before the answer to it.
        try pair.a.crash()
        try pair.settle()
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("b"))
        #expect(try pair.row(pair.b, "note")?.attributes["text"] == .string("b"))
    }

    @Test func `I-3 the answer to an operation says nothing of a record that the feed has merged meanwhile`() throws {
        pair.a.time.now += 200_000
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        // Older than a's edit by its own account, and no client of ours: a keeps its value and has to send it again.
        pair.zone.foreignWrite("note", ["text": Field(.string("foreign"))])
        try pair.a.crash()
        try pair.settle()
        #expect(try pair.row(pair.b, "note")?.attributes["text"] == .string("a"))
    }

    @Test func `I-1 an edit sent to a service that has just lost its memory deletes nothing`() throws {
        let copy = pair.zone.snapshot()
        try pair.put(pair.a, "Note", "later", ["text": .string("kept")])
        try pair.settle()
        pair.zone.restore(copy)
        try pair.put(pair.a, "Note", "later", ["weight": .double(3)])
        // The edit is sent, refused and looked up before anybody asks the feed.
        try pair.a.wake()
        try pair.settle()
        #expect(try pair.row(pair.b, "later")?.attributes == ["text": .string("kept"), "weight": .double(3), "count": .null])
    }

    @Test func `I-2 an operation older than the service's memory of operations is looked up, not sent again`() throws {
        try pair.put(pair.a, "Note", "fresh")
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.b.sync()
        try pair.delete(pair.b, "fresh")
        try pair.b.sync()
        pair.zone.forgetOperations()
        let sent = pair.a.sentCount
        try pair.a.passTime(8 * 86_400_000)
        #expect(pair.a.sentCount == sent)
        try pair.settle()
    }

    @Test func `I-9 an edit in conflict with a record that cannot be applied yet does not go round and round`() throws {
        try pair.put(pair.b, "Note", "target")
        pair.zone.refusals["target"] = ServerError(.badRequest, "no")
        try pair.put(pair.b, "Note", "note", to: ["next": "target"])
        try pair.b.sync()
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        let sent = pair.a.sentCount
        try pair.a.wake()
        try pair.a.sync()
        #expect(pair.a.sentCount - sent <= 3)
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("a"))
        pair.zone.refusals = [:]
        try pair.b.store.retry(RecordName("target"))
        try pair.settle()
        #expect(try pair.row(pair.a, "note")?.references["next"] == RecordName("target"))
    }

    @Test func `I-1 an import over a value that is on its way stays, though it has no time of its own`() throws {
        try pair.put(pair.a, "Note", "fresh", ["text": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.a.store.write(.import) {
            _ = try pair.a.store.put("Note", name: RecordName("fresh"), RowEdit(attributes: ["text": .string("b"), "weight": .double(2)]))
        }
        // The feed brings the first value back before the answer to it.
        try pair.a.crash()
        try pair.settle()
        #expect(try pair.row(pair.b, "fresh")?.attributes == ["text": .string("b"), "weight": .double(2), "count": .null])
    }

    @Test func `31 an edit by a clock of the future gets no later while its answer is lost`() throws {
        pair.a.time.now += 10 * 365 * 86_400_000
        try pair.put(pair.a, "Note", "fresh", ["text": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.b.sync()
        try pair.put(pair.b, "Note", "fresh", ["text": .string("b")])
        try pair.b.sync()
        pair.pass(600_000)
        try pair.a.crash()
        try pair.settle()
        #expect(try pair.row(pair.a, "fresh")?.attributes["text"] == .string("b"))
    }

    @Test func `a wait and a record that was put off end when the clock is put back by years`() throws {
        pair.a.time.now += 70 * 365 * 86_400_000
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        pair.zone.refusals["note"] = ServerError(.tryAgainLater, "busy", retryAfter: 60)
        try pair.a.sync()
        try pair.put(pair.a, "Note", "other")
        pair.a.lostRequests = 1
        try pair.a.sync()
        guard case .waiting = pair.a.core.state else { throw DeviceDouble.Stuck(state: pair.a.core.state) }
        pair.zone.refusals = [:]
        pair.a.time.now = pair.zone.clock
        try pair.a.wake()
        try pair.a.sync()
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("a"))
        #expect(pair.zone.entries["other"] != nil)
    }

    @Test func `I-2 an operation that was frozen in the future, before the clock was put back, is looked up, not sent again`() throws {
        pair.a.time.now += 365 * 86_400_000
        try pair.put(pair.a, "Note", "note", ["text": .string("a")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        let sent = pair.a.sentCount
        pair.a.time.now = pair.zone.clock + 8 * 86_400_000
        pair.zone.clock += 8 * 86_400_000
        pair.zone.forgetOperations()
        try pair.a.crash()
        try pair.settle()
        #expect(pair.a.sentCount == sent)
        #expect(pair.zone.entries["note"]?.record.fields["text"]?.value == .string("a"))
    }

    @Test func `I-3 a record made anew over one that waits for its target is not overwritten by the version that waited`() throws {
        try pair.put(pair.b, "Note", "target")
        pair.zone.refusals["target"] = ServerError(.badRequest, "no")
        try pair.put(pair.b, "Note", "note", to: ["next": "target"])
        try pair.b.sync()
        try pair.a.sync()
        #expect(try pair.a.store.inboxHolds(RecordName("note")))
        try pair.a.store.write {
            try pair.a.store.delete(RecordName("note"))
            try pair.a.store.put("Note", name: RecordName("note"), RowEdit(attributes: ["text": .string("anew")]))
        }
        try pair.a.sync()
        pair.zone.refusals = [:]
        try pair.b.store.retry(RecordName("target"))
        try pair.settle()
        let row = try #require(try pair.row(pair.a, "note"))
        #expect(row.attributes["text"] == .string("anew"))
        #expect(row.references["next"] == nil)
    }

    @Test func `nothing to send is told apart from something, and looking at the log writes nothing`() throws {
        #expect(try !pair.a.store.outboxSummary(at: .max).hasSendable)
        let before = try pair.a.store.connection.integer("SELECT count(*) FROM _sluice_transaction")
        try pair.put(pair.a, "Note", "note", ["text": .string("x")])
        try pair.a.store.drainChanges()
        #expect(try pair.a.store.connection.integer("SELECT count(*) FROM _sluice_transaction") == before + 1)
        #expect(try pair.a.store.outboxSummary(at: .max).hasSendable)
    }
}
