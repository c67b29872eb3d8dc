import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Unsent edits of what goes with a version: whatever kept them from being sent at once, they are sent in the end.
@Suite struct OwedEditTests: OwedEditing {
    let pair: DevicePair

    init() throws { pair = try OwedEdits.makePair() }

    // MARK: Another edit of the record

    @Test func `an owed edit goes on top of another device's edit of the record`() throws {
        try pair.put(b, "Person", "ada", ["name": .string("Augusta")])
        try pair.put(b, "Tag", "t", ["color": .string("#800")])
        try b.sync()
        try note("owed")
        try label("crimson")
        try upgrade()
        try quiet()
        #expect(field("name") == .string("Augusta") && field("note") == .string("owed"))
        #expect(field("label", of: "t") == .string("crimson") && field("color", of: "t") == .string("#800"))
        #expect(try pair.row(a, "ada")?.attributes["name"] == .string("Augusta"))
    }

    @Test(arguments: [true, false]) func `of two edits of a field that goes here the later one stands`(isOwedLater: Bool) throws {
        let edits = {
            try note("owed")
            try label("owed")
        }
        if !isOwedLater { try edits() }
        pair.pass(10_000)
        try note("theirs", on: b)
        try label("theirs", on: b)
        try b.sync()
        pair.pass(10_000)
        if isOwedLater { try edits() }
        try upgrade()
        try quiet()
        #expect(field("note") == .string(isOwedLater ? "owed" : "theirs"))
        #expect(field("label", of: "t") == .string(isOwedLater ? "owed" : "theirs"))
        let fresh = try DeviceDouble(zone, OwedEdits.less, seed: 3)
        try fresh.sync()
        #expect(try fresh.journal.digest().text == a.journal.digest().text)
    }

    @Test func `an owed edit goes along with a later edit of the same record, in one operation`() throws {
        try note("owed")
        try upgrade()
        let applied = zone.appliedCount
        try pair.put(a, "Person", "ada", ["name": .string("Augusta")])
        try quiet()
        #expect(field("name") == .string("Augusta") && field("note") == .string("owed"))
        #expect(zone.appliedCount == applied + 1)
    }

    @Test func `a field that was cleared before it went is cleared on the service`() throws {
        try pair.put(a, "Person", "ada", ["note": .null])
        try pair.put(a, "Tag", "t", ["color": .null], to: ["person": nil])
        try upgrade()
        try quiet()
        #expect(field("note") == nil && field("color", of: "t") == nil && field("person", of: "t") == nil)
        #expect(field("label", of: "t") == .string("red"))
    }

    // MARK: In flight

    @Test(arguments: [true, false]) func `what was edited again while its operation was on its way is sent too`(isAnswerLost: Bool) throws {
        try note("first")
        try label("first")
        try pair.put(a, "Tag", "u", ["label": .string("first")])
        if isAnswerLost { a.lostAnswers = 1 } else { a.lostRequests = 1 }
        try a.sync()
        try note("second")
        try label("second")
        try pair.put(a, "Tag", "u", ["label": .string("second")])
        try upgrade()
        try quiet()
        #expect(field("note") == .string("second") && field("label", of: "t") == .string("second"))
        #expect(field("label", of: "u") == .string("second"))
    }

    @Test func `an operation that waited too long is given up, and what it carried is sent anew`() throws {
        try note("owed")
        try label("owed")
        try pair.put(a, "Tag", "u", ["label": .string("new")])
        try pair.delete(a, "t")
        a.lostRequests = 1
        try a.sync()
        try upgrade()
        pair.pass(8 * 86_400_000)
        try a.wake()
        try quiet()
        #expect(field("note") == .string("owed"))
        #expect(pair.live("Tag") == ["u"])
        #expect(field("label", of: "u") == .string("new"))
    }

    // MARK: Refused

    @Test func `a record that was set aside is sent with what is owed of it when a person lets it go again`() throws {
        for name in ["ada", "t"] { zone.refusals[name] = ServerError(.badRequest, "no") }
        try note("owed")
        try label("owed")
        try a.sync()
        try upgrade()
        #expect(try Set(a.store.setAsideRecords(limit: 10).map(\.table)) == ["Person", "Tag"])
        try a.sync()
        #expect(try a.store.outboxSummary(at: .max).setAsideCount == 2)
        zone.refusals = [:]
        for name in ["ada", "t"] { try a.store.retry(RecordName(name)) }
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
    }

    @Test func `a passing refusal after the migration loses nothing`() throws {
        try note("owed")
        try label("owed")
        try upgrade()
        for name in ["ada", "t"] { zone.refusals[name] = ServerError(.tryAgainLater, "busy") }
        try a.sync()
        try a.crash()
        zone.refusals = [:]
        pair.pass(4_000_000)
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
    }

    // MARK: Departed records

    @Test func `a record of an entity that goes, made and never sent, is made on the service as it was`() throws {
        try pair.put(a, "Tag", "u", ["label": .string("new"), "color": .string("#0f0")], to: ["person": "ada"])
        a.lostAnswers = 1
        try upgrade()
        try quiet()
        #expect(try pair.row(b, "u")?.attributes["color"] == .string("#0f0"))
        #expect(try pair.row(b, "u")?.references["person"] == RecordName("ada"))
    }

    @Test func `a deletion of a record whose entity goes stands against an edit that did not know of it`() throws {
        try label("theirs", on: b)
        try b.sync()
        try pair.delete(a, "t")
        try upgrade()
        try quiet()
        #expect(pair.live("Tag").isEmpty)
        #expect(try pair.row(b, "t") == nil)
    }

    @Test func `a deletion that was in conflict before it was looked up is sent by itself in the end`() throws {
        try pair.delete(a, "t")
        try upgrade()
        try label("theirs", on: b)
        try b.sync()
        // The service's answer comes before the feed does.
        let frozen = try a.journal.freeze(1, limits: .cloudKit, at: a.time.now, latestStamp: nil) { UUID() }
        let operation = try #require(try frozen.first.flatMap { try a.store.frozenOperation($0.number) })
        let answer = try zone.modify(operation.body, id: operation.id)
        _ = try a.journal.record(answer, of: operation.number, retry: RetryTimes(now: a.time.now, standard: a.time.now))
        try quiet()
        #expect(pair.live("Tag").isEmpty)
    }

    @Test func `a record that the service goes on refusing stays set aside, whatever else comes of it`() throws {
        zone.refusals["t"] = ServerError(.badRequest, "no")
        try label("owed")
        try a.sync()
        try upgrade()
        try pair.put(b, "Tag", "t", ["color": .string("#111")])
        zone.refusals = [:]
        try b.sync()
        zone.refusals["t"] = ServerError(.badRequest, "no")
        for _ in 0..<3 {
            try a.sync()
            pair.pass(400_000)
            try a.wake()
        }
        let sent = a.sentCount
        for _ in 0..<4 {
            try pair.put(b, "Person", "ada", ["name": .string("name \(zone.sequence)")])
            try b.sync()
            try a.sync()
        }
        #expect(a.sentCount == sent)
        #expect(try a.store.outboxSummary(at: .max).setAsideCount == 1)
    }

    @Test func `a record without any value is made on the service though its entity goes`() throws {
        let bare = Entity("Mark", attributes: [Attribute("text", .string, isOptional: true)])
        let pair = try DevicePair(OwedEdits.less + [bare])
        try pair.settle()
        try pair.put(pair.a, "Mark", "m")
        try pair.a.upgrade(to: OwedEdits.less, version: SchemaVersion(2, 0, 0), discarding: ["Mark"])
        try pair.a.sync()
        #expect(pair.live("Mark") == ["m"])
    }

    @Test func `an unsent reference to a row whose subentity goes is sent as it was`() throws {
        func entities(_ hasSub: Bool) -> [Entity] {
            [
                Entity(
                    "Base", attributes: [OwedEdits.name], relationships: [
                        Relationship("items", to: "Item", isToMany: true, inverse: "base"),
                        Relationship("links", to: "Item", isToMany: true, inverse: "linked"),
                    ]),
                Entity(
                    "Item", attributes: [OwedEdits.name], relationships: [
                        Relationship("base", to: "Base", inverse: "items"),
                        Relationship("linked", to: "Base", isToMany: true, inverse: "links"),
                    ]),
            ] + (hasSub ? [Entity("Sub", superentity: "Base", attributes: [OwedEdits.note])] : [])
        }
        let pair = try DevicePair(entities(true))
        try pair.put(pair.a, "Base", "one", ["name": .string("one")])
        try pair.put(pair.a, "Sub", "two", ["name": .string("two")])
        try pair.put(pair.a, "Item", "item", ["name": .string("item")], to: ["base": "one"])
        try pair.settle()
        try pair.put(pair.a, "Item", "item", to: ["base": "two"], with: ["linked": ["two"]])
        try pair.a.upgrade(to: entities(false), version: SchemaVersion(2, 0, 0), discarding: ["Sub"])
        for _ in 0..<3 { for device in [pair.a, pair.b] { try device.sync() } }
        #expect(try pair.row(pair.b, "item")?.references["base"] == RecordName("two"))
        let join = try #require(pair.b.store.layout.sortedEntities.first { $0.isJoin })
        #expect(try pair.b.store.count(of: join) == 1)
    }

    @Test func `an unsent edit of what stays on this device alone from now on is sent still, and nobody takes the rows away`() throws {
        func entities(isLocal: Bool) -> [Entity] {
            [Entity("Task", attributes: [OwedEdits.name], isLocalOnly: isLocal), Entity("Other", attributes: [OwedEdits.name])]
        }
        let pair = try DevicePair(entities(isLocal: false))
        for name in ["one", "two"] { try pair.put(pair.a, "Task", name, ["name": .string(name)]) }
        try pair.settle()
        try pair.put(pair.a, "Task", "one", ["name": .string("edited")])
        try pair.a.upgrade(to: entities(isLocal: true), version: SchemaVersion(2, 0, 0))
        for _ in 0..<2 { for device in [pair.a, pair.b] { try device.sync() } }
        #expect(try pair.row(pair.b, "one")?.attributes["name"] == .string("edited"))
        #expect(try pair.a.store.outboxSummary(at: .max).pendingCount == 0)
        try pair.delete(pair.b, "two")
        try pair.put(pair.b, "Task", "one", ["name": .string("theirs")])
        for _ in 0..<2 { for device in [pair.b, pair.a] { try device.sync() } }
        #expect(try pair.row(pair.a, "two") != nil)
        #expect(try pair.row(pair.a, "one")?.attributes["name"] == .string("edited"))
    }

    @Test func `an edit of a record that was deleted elsewhere brings nothing back`() throws {
        try label("owed")
        try note("owed")
        try pair.delete(b, "t")
        try pair.delete(b, "ada")
        try b.sync()
        try upgrade()
        try quiet()
        #expect(zone.live.isEmpty)
        #expect(try pair.row(a, "ada") == nil)
    }

    @Test func `a record that a stage deleted before its entity went stays where somebody changed it meanwhile`() throws {
        try pair.put(a, "Tag", "u", ["label": .string("blue")])
        try pair.settle()
        try label("wanted", on: b)
        try b.sync()
        try a.upgrade(
            to: OwedEdits.less, version: SchemaVersion(2, 0, 0), discarding: OwedEdits.discarded,
            before: { store in for name in ["t", "u"] { _ = try store.write { try store.delete(RecordName(name)) } } })
        try quiet()
        #expect(pair.live("Tag") == ["t"])
        #expect(field("label", of: "t") == .string("wanted"))
    }
}
