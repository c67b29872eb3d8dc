import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Unsent edits of what goes with a version: whatever kept them from being sent at once, they are sent in the end.
@Suite struct OwedEditTests {
    private static let name = Attribute("name", .string)
    private static let note = Attribute("note", .string, isOptional: true)
    private static let tag = Entity(
        "Tag", attributes: [Attribute("label", .string), Attribute("color", .string, isOptional: true)],
        relationships: [Relationship("person", to: "Person", inverse: "tags")])
    private static let whole = [
        Entity("Person", attributes: [name, note], relationships: [Relationship("tags", to: "Tag", isToMany: true, inverse: "person")]), tag,
    ]
    private static let less = [Entity("Person", attributes: [name])]
    private static let discarded: Set<String> = ["Person.note", "Person.tags", "Tag"]

    private let pair: DevicePair
    private var a: DeviceDouble { pair.a }
    private var b: DeviceDouble { pair.b }
    private var zone: ZoneDouble { pair.zone }

    init() throws {
        pair = try DevicePair(Self.whole)
        try pair.put(pair.a, "Person", "ada", ["name": .string("Ada"), "note": .string("old")])
        try pair.put(pair.a, "Tag", "t", ["label": .string("red"), "color": .string("#f00")], to: ["person": "ada"])
        try pair.settle()
    }

    private func field(_ name: String, of record: String = "ada") -> FieldValue? { zone.entries[record]?.record.fields[name]?.value }

    private func note(_ text: String, on device: DeviceDouble? = nil) throws {
        try pair.put(device ?? a, "Person", "ada", ["note": .string(text)])
    }

    private func label(_ text: String, on device: DeviceDouble? = nil) throws {
        try pair.put(device ?? a, "Tag", "t", ["label": .string(text)])
    }

    private func upgrade() throws { try a.upgrade(to: Self.less, version: SchemaVersion(2, 0, 0), discarding: Self.discarded) }

    /// Both until all is quiet; the devices are of different versions, so that only their outboxes tell.
    private func quiet() throws {
        for _ in 0..<4 {
            for device in [a, b] {
                try device.sync()
                pair.pass(400_000)
                try device.wake()
            }
        }
        for device in [a, b] {
            let summary = try device.store.outboxSummary(at: .max)
            #expect(summary.pendingCount + summary.frozenCount + summary.setAsideCount == 0)
            #expect(device.core.isQuiet)
        }
        #expect(try a.store.connection.integer("SELECT (SELECT count(*) FROM _sluice_owed) + (SELECT count(*) FROM _sluice_departed)") == 0)
        #expect(try b.journal.digest().text == zone.digest())
    }

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
        let fresh = try DeviceDouble(zone, Self.less, seed: 3)
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
        let operation = try #require(
            try a.journal.freeze(1, limits: .cloudKit, at: a.time.now, latestStamp: nil) { UUID() }.first)
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
        let pair = try DevicePair(Self.less + [bare])
        try pair.settle()
        try pair.put(pair.a, "Mark", "m")
        try pair.a.upgrade(to: Self.less, version: SchemaVersion(2, 0, 0), discarding: ["Mark"])
        try pair.a.sync()
        #expect(pair.live("Mark") == ["m"])
    }

    @Test func `an unsent reference to a row whose subentity goes is sent as it was`() throws {
        func entities(_ hasSub: Bool) -> [Entity] {
            [
                Entity(
                    "Base", attributes: [Self.name], relationships: [
                        Relationship("items", to: "Item", isToMany: true, inverse: "base"),
                        Relationship("links", to: "Item", isToMany: true, inverse: "linked"),
                    ]),
                Entity(
                    "Item", attributes: [Self.name], relationships: [
                        Relationship("base", to: "Base", inverse: "items"),
                        Relationship("linked", to: "Base", isToMany: true, inverse: "links"),
                    ]),
            ] + (hasSub ? [Entity("Sub", superentity: "Base", attributes: [Self.note])] : [])
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
        let join = try #require(pair.b.store.layout.sortedEntities.first(where: \.isJoin))
        #expect(try pair.b.store.count(of: join) == 1)
    }

    @Test func `an unsent edit of what stays on this device alone from now on is sent still, and nobody takes the rows away`() throws {
        func entities(isLocal: Bool) -> [Entity] {
            [Entity("Task", attributes: [Self.name], isLocalOnly: isLocal), Entity("Other", attributes: [Self.name])]
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
            to: Self.less, version: SchemaVersion(2, 0, 0), discarding: Self.discarded,
            before: { store in for name in ["t", "u"] { _ = try store.write { try store.delete(RecordName(name)) } } })
        try quiet()
        #expect(pair.live("Tag") == ["t"])
        #expect(field("label", of: "t") == .string("wanted"))
    }

    // MARK: The service

    @Test func `what is owed reaches a service that was set back to an older copy`() throws {
        let older = zone.snapshot()
        try note("known", on: b)
        try pair.settle()
        try note("owed")
        try label("owed")
        try upgrade()
        zone.restore(older)
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
    }

    @Test func `a field that was cleared is not filled again where the service has to be sent the whole record`() throws {
        let older = zone.snapshot()
        try pair.put(a, "Person", "eve", ["name": .string("Eve"), "note": .string("old")])
        try pair.settle()
        try pair.put(a, "Person", "eve", ["note": .null])
        try upgrade()
        try pair.put(b, "Person", "eve", ["name": .string("Eva")])
        try b.sync()
        zone.refusals["eve"] = ServerError(.tryAgainLater, "busy")
        try a.sync()
        zone.refusals = [:]
        zone.restore(older)
        for _ in 0..<3 {
            try a.sync()
            pair.pass(400_000)
            try a.wake()
        }
        #expect(field("name", of: "eve") == .string("Eva"))
        #expect(field("note", of: "eve") == nil)
    }

    // MARK: What comes back

    @Test func `a field that comes back before its edit was sent has that edit on every device`() throws {
        try pair.put(b, "Person", "ada", ["name": .string("Augusta")])
        try b.sync()
        try note("owed")
        try label("owed")
        try upgrade()
        try a.upgrade(to: Self.whole, version: SchemaVersion(3, 0, 0))
        try quiet()
        #expect(field("note") == .string("owed") && field("label", of: "t") == .string("owed"))
        #expect(try pair.row(a, "ada")?.attributes["note"] == .string("owed"))
        #expect(try pair.row(a, "t")?.attributes["label"] == .string("owed"))
        #expect(try a.journal.digest().text == zone.digest())
    }

    @Test func `an edit of a field that came back stands before the one that was owed of it`() throws {
        try note("owed")
        try upgrade()
        try a.upgrade(to: Self.whole, version: SchemaVersion(3, 0, 0))
        try note("later")
        try pair.put(b, "Person", "ada", ["name": .string("Augusta")])
        try b.sync()
        try quiet()
        #expect(field("note") == .string("later"))
        #expect(try a.journal.digest().text == zone.digest())
    }

    @Test func `a field that came back and was cleared goes as cleared with a record that was never sent`() throws {
        try pair.put(a, "Person", "eve", ["name": .string("Eve"), "note": .string("x")])
        try upgrade()
        try a.upgrade(to: Self.whole, version: SchemaVersion(3, 0, 0))
        #expect(try pair.row(a, "eve")?.attributes["note"] == .string("x"))
        try pair.put(a, "Person", "eve", ["note": .null])
        try quiet()
        #expect(zone.entries["eve"] != nil && field("note", of: "eve") == nil)
        #expect(try pair.row(a, "eve")?.attributes["note"] == .null)
    }

    @Test func `an entity that comes back while an edit of its record is refused has the record all the same`() throws {
        zone.refusals["t"] = ServerError(.badRequest, "no")
        try label("owed")
        try a.sync()
        try upgrade()
        try a.upgrade(to: Self.whole, version: SchemaVersion(3, 0, 0))
        for _ in 0..<2 { try a.sync() }
        #expect(try pair.row(a, "t") != nil)
        zone.refusals = [:]
        try a.store.retry(RecordName("t"))
        try quiet()
        #expect(try pair.row(a, "t")?.attributes["label"] == .string("owed"))
    }

    // MARK: Older stores

    @Test func `a store from before anything could be owed is migrated like any other`() throws {
        try note("owed")
        try a.whileClosed { path in
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.execute("DROP TABLE _sluice_owed; DROP TABLE _sluice_departed")
        }
        try a.store.connection.execute("DROP TABLE IF EXISTS _sluice_owed; DROP TABLE IF EXISTS _sluice_departed")
        try upgrade()
        try quiet()
        #expect(field("note") == .string("owed"))
    }

    // MARK: Any order

    @Test(arguments: 0..<60) func `the latest edit of what goes is what the service has in the end, whatever came between`(seed: UInt64) throws {
        let random = SeededRandom(seed &* 7 &+ 5)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        var latest: [String: String] = [:]
        var isUpgraded = false
        for step in 0..<30 {
            pair.pass(1_000)
            let device = below(2) == 0 ? a : b
            let mayEdit = device === b || !isUpgraded
            switch below(10) {
            case 0 where !isUpgraded && step > 8:
                try upgrade()
                isUpgraded = true
            case 1: device.lostAnswers = below(2)
            case 2: device.lostRequests = below(2)
            case 3: zone.refusals = below(2) == 0 ? ["ada": ServerError(.tryAgainLater, "busy")] : ["t": ServerError(.tryAgainLater, "busy")]
            case 4, 5:
                try device.sync()
                zone.refusals = [:]
            case 6: try pair.put(device, "Person", "ada", ["name": .string("name \(step)")])
            case 7 where mayEdit:
                try note("note \(step)", on: device)
                latest["note"] = "note \(step)"
            default:
                guard mayEdit else { continue }
                try label("label \(step)", on: device)
                latest["label"] = "label \(step)"
            }
        }
        if !isUpgraded { try upgrade() }
        zone.refusals = [:]
        try quiet()
        #expect(field("note") == .string(latest["note"] ?? "old"), "seed \(seed)")
        #expect(field("label", of: "t") == .string(latest["label"] ?? "red"), "seed \(seed)")
    }
}
