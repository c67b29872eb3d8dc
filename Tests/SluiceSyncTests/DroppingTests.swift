import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// A person looks at what waits to be sent, and gives some of it up.
@Suite struct DroppingTests {
    private static let entities = [
        Entity("Box", attributes: [Attribute("label", .string)], relationships: [
            Relationship("items", to: "Item", isToMany: true, inverse: "box", deleteRule: .cascade)
        ]),
        Entity(
            "Item", attributes: [Attribute("title", .string), Attribute("note", .string, isOptional: true)],
            relationships: [Relationship("box", to: "Box", isOptional: false, inverse: "items")]),
    ]
    private let pair: DevicePair
    private var a: DeviceDouble { pair.a }
    private var zone: ZoneDouble { pair.zone }

    init() throws {
        pair = try DevicePair(Self.entities)
        try pair.put(pair.a, "Box", "box", ["label": .string("one")])
        try pair.put(pair.a, "Item", "item", ["title": .string("first"), "note": .string("n")], to: ["box": "box"])
        try pair.settle()
    }

    private func drop(_ name: String) throws -> DropOutcome {
        let outcome = try a.journal.drop(RecordName(name))
        a.mustLookUp()
        return outcome
    }

    @Test func `an edit that is given up gives way to what the service has, and another device's edit stays`() throws {
        try pair.put(pair.b, "Item", "item", ["note": .string("theirs")])
        try pair.b.sync()
        zone.refusals["item"] = ServerError(.badRequest, "no")
        try pair.put(a, "Item", "item", ["title": .string("mine"), "note": .string("mine")])
        try a.sync()
        let entry = try #require(try a.store.outboxEntry(of: RecordName("item")))
        guard case .setAside(let reason) = entry.state else { throw CancellationError() }
        #expect(entry.change == .update && entry.properties == ["title"] || entry.properties == ["note", "title"])
        #expect(reason.contains("no") && entry.since != nil && entry.attempts == 1)
        #expect(try drop("item") == .lookedUp)
        zone.refusals = [:]
        try pair.settle()
        #expect(try pair.row(a, "item")?.attributes["title"] == .string("first"))
        #expect(try pair.row(a, "item")?.attributes["note"] == .string("theirs"))
        #expect(try a.store.outboxEntries(limit: 10).isEmpty)
    }

    @Test func `a record that the service never had goes, with what cannot be without it, and nobody hears of it`() throws {
        try pair.put(a, "Box", "new", ["label": .string("new")])
        try pair.put(a, "Item", "child", ["title": .string("child")], to: ["box": "new"])
        let sequence = zone.sequence
        #expect(try a.store.outboxEntries(limit: 10).map(\.change) == [.insert, .insert])
        #expect(try drop("new") == .removed)
        try pair.settle()
        #expect(try pair.row(a, "new") == nil && pair.row(a, "child") == nil)
        #expect(zone.live.count == 2)
        #expect(zone.entries["new"] == nil && zone.sequence - sequence <= 1)
    }

    @Test func `a creation that a record of the service needs is not given up, and one that it may do without leaves the service's word`() throws {
        try pair.put(a, "Box", "new", ["label": .string("new")])
        try pair.put(a, "Item", "item", to: ["box": "new"])
        #expect(throws: DropRefusal.self) { try a.journal.drop(RecordName("new")) }
        #expect(try a.store.outboxEntries(limit: 10).count == 2)
        #expect(try drop("item") == .lookedUp)
        try pair.settle()
        #expect(try pair.row(a, "item")?.references["box"] == RecordName("box"))
        #expect(try pair.row(pair.b, "new")?.attributes["label"] == .string("new"))
    }

    @Test func `a creation whose name the service has too gives way to the service's record when that can come`() throws {
        try pair.put(a, "Item", "twin", ["title": .string("mine")], to: ["box": "box"])
        zone.refusals["far"] = ServerError(.tryAgainLater, "busy")
        try pair.put(pair.b, "Box", "far", ["label": .string("far")])
        try pair.put(pair.b, "Item", "twin", ["title": .string("theirs")], to: ["box": "far"])
        try pair.b.sync()
        try a.sync()
        #expect(try drop("twin") == .fetchedAnew)
        zone.refusals = [:]
        pair.pass(4_000_000)
        try pair.settle()
        #expect(try pair.row(a, "twin")?.attributes["title"] == .string("theirs"))
    }

    @Test func `a deletion that is given up brings the record back`() throws {
        try pair.delete(a, "box")
        #expect(try Set(a.store.outboxEntries(limit: 10).map(\.change)) == [.delete])
        for name in ["item", "box"] { #expect(try drop(name) == .fetchedAnew) }
        try pair.settle()
        #expect(try pair.row(a, "box")?.attributes["label"] == .string("one"))
        #expect(try pair.row(a, "item")?.references["box"] == RecordName("box"))
        #expect(zone.live.count == 2)
    }

    @Test func `what is on its way cannot be given up, and what does not wait neither`() throws {
        try pair.put(a, "Box", "box", ["label": .string("two")])
        a.lostAnswers = 1
        try a.sync()
        let entry = try #require(try a.store.outboxEntry(of: RecordName("box")))
        guard case .inFlight(let operation) = entry.state else { throw CancellationError() }
        #expect(UUID(uuidString: operation) != nil)
        #expect(throws: DropRefusal.self) { try a.journal.drop(RecordName("box")) }
        #expect(throws: DropRefusal.self) { try a.journal.drop(RecordName("item")) }
        try pair.settle()
        #expect(zone.entries["box"]?.record.fields["label"]?.value == .string("two"))
    }

    @Test func `entries come in pages, with their kind and their reason`() throws {
        for index in 0..<5 { try pair.put(a, "Box", "b\(index)", ["label": .string("x")]) }
        zone.refusals["b3"] = ServerError(.tryAgainLater, "busy")
        let first = try a.store.outboxEntries(limit: 3)
        let rest = try a.store.outboxEntries(after: #require(first.last).number, limit: 3)
        #expect((first + rest).map(\.name.text) == (0..<5).map { "b\($0)" })
        #expect((first + rest).allSatisfy { $0.state == .waiting && $0.entity == "Box" })
        try a.sync()
        guard case .later = try #require(try a.store.outboxEntry(of: RecordName("b3"))).state else { throw CancellationError() }
        #expect(try a.store.outboxEntries(limit: 10, setAside: true).isEmpty)
    }
}
