import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// A record goes on one device while another still relates to it.
@Suite struct ConcurrentDeletionTests {
    let pair: DevicePair

    init() throws { pair = try DevicePair() }

    @Test func `I-3 an optional reference to a record that was deleted elsewhere becomes empty everywhere, on the service too`() throws {
        try pair.put(pair.a, "Box", "box", to: ["shelf": shelf("s")])
        try pair.put(pair.a, "Note", "note")
        try pair.settle()
        try pair.delete(pair.a, "box")
        try pair.put(pair.b, "Note", "note", to: ["box": "box"])
        try pair.b.sync()
        try pair.settle()
        #expect(try pair.row(pair.b, "note")?.references["box"] == nil)
        #expect(pair.zone.entries["note"]?.record.fields["box"] == nil)
    }

    @Test func `I-7 a row made for a parent that was deleted meanwhile goes with it`() throws {
        _ = try shelf("s")
        try pair.settle()
        try pair.delete(pair.a, "s")
        try pair.put(pair.b, "Box", "box", to: ["shelf": "s"])
        try pair.put(pair.b, "Note", "note", ["text": .string("kept")], to: ["box": "box"])
        try pair.b.sync()
        try pair.settle()
        #expect(pair.live("Box") == [])
        #expect(try pair.row(pair.a, "note")?.attributes["text"] == .string("kept"))
    }

    @Test func `I-3 a pair made while one of its ends goes is taken off the service`() throws {
        try pair.put(pair.a, "Box", "box", to: ["shelf": shelf("s")])
        try pair.put(pair.a, "Tag", "tag", ["label": .string("l")])
        try pair.settle()
        try pair.delete(pair.a, "tag")
        try pair.put(pair.b, "Box", "box", with: ["tags": ["tag"]])
        try pair.b.sync()
        try pair.settle()
        #expect(pair.live("Box_tags") == [])
    }

    @Test func `I-5 a row that was moved away from a deleted parent is never taken along, though its move is refused for a while`() throws {
        try pair.put(pair.a, "Box", "box", to: ["shelf": shelf("old")])
        _ = try shelf("new")
        try pair.settle()
        try pair.put(pair.a, "Box", "box", to: ["shelf": "new"])
        try pair.delete(pair.a, "old")
        pair.zone.refusals["box"] = ServerError(.tryAgainLater, "busy")
        try pair.a.sync()
        try pair.b.sync()
        pair.zone.refusals = [:]
        try pair.settle()
        #expect(try pair.row(pair.b, "box")?.references["shelf"] == RecordName("new"))
    }

    @Test func `a row keeps its pairs and its readers while the parent it moved to is still to come`() throws {
        try pair.put(pair.a, "Box", "box", to: ["shelf": shelf("old")], with: ["tags": []])
        try pair.put(pair.a, "Tag", "tag", ["label": .string("l")], with: ["boxes": ["box"]])
        try pair.put(pair.a, "Note", "note", to: ["box": "box"])
        try pair.settle()
        _ = try shelf("new")
        pair.zone.refusals["new"] = ServerError(.badRequest, "no")
        try pair.put(pair.a, "Box", "box", to: ["shelf": "new"])
        try pair.a.sync()
        try pair.b.sync()
        #expect(try pair.row(pair.b, "box")?.references["shelf"] == RecordName("old"))
        pair.zone.refusals = [:]
        try pair.a.store.retry(RecordName("new"))
        try pair.settle()
        #expect(try pair.row(pair.b, "note")?.references["box"] == RecordName("box"))
        #expect(pair.live("Box_tags").count == 1)
    }

    @Test func `I-4 a record that was deleted before its answer came stays deleted`() throws {
        try pair.a.sync()
        try pair.b.sync()
        try pair.put(pair.a, "Note", "note")
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.b.sync()
        try pair.delete(pair.b, "note")
        try pair.b.sync()
        try pair.a.crash()
        try pair.settle()
        #expect(pair.live("Note") == [])
        #expect(try pair.row(pair.a, "note") == nil)
    }

    @Test func `I-1 a row inserted anew while its deletion is on its way is sent whole, and its own tombstone does not take it`() throws {
        try pair.put(pair.a, "Note", "note", ["text": .string("old"), "weight": .double(1)])
        try pair.settle()
        try pair.delete(pair.a, "note")
        pair.a.lostAnswers = 1
        try pair.a.sync()
        try pair.put(pair.a, "Note", "note", ["text": .string("new")])
        try pair.settle()
        #expect(try pair.row(pair.b, "note")?.attributes == ["text": .string("new"), "weight": .null, "count": .null])
    }

    private func shelf(_ name: String) throws -> String {
        try pair.put(pair.a, "Shelf", name, ["title": .string(name)])
        return name
    }
}
