import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSimulation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Devices of one account at different versions of its schema.
@Suite struct SyncedUpgradeTests {
    private static func entities(_ attributes: [Attribute], tags: Bool = true) -> [Entity] {
        let person = Entity("Person", attributes: attributes)
        return tags ? [person, Entity("Tag", attributes: [Attribute("label", .string)])] : [person]
    }

    private static let name = Attribute("name", .string)
    private static let first = Attribute("first", .string, isOptional: true)
    private static let note = Attribute("note", .string, isOptional: true)
    static let one = entities([name, note])
    /// A property comes.
    static let two = entities([name, note, first])
    /// The same, and a property with a default, which the service never hears of.
    static let ranked = entities([name, note, first, Attribute("rank", .int64, defaultValue: .integer(7))])
    /// A property goes, and an entity.
    static let three = entities([name, first], tags: false)

    private static let versionTwo = SchemaVersion(2, 0, 0)
    private let pair: DevicePair
    private var a: DeviceDouble { pair.a }
    private var b: DeviceDouble { pair.b }
    private var zone: ZoneDouble { pair.zone }

    init() throws {
        pair = try DevicePair(Self.one)
        try pair.put(pair.a, "Person", "ada", ["name": .string("Lovelace, Ada"), "note": .string("old note")])
        try pair.put(pair.a, "Tag", "t", ["label": .string("red")])
        try pair.settle()
    }

    private func field(_ name: String, of record: String = "ada") -> FieldValue? { zone.entries[record]?.record.fields[name]?.value }

    private func value(_ name: String, _ device: DeviceDouble) throws -> PropertyValue? { try pair.row(device, "ada")?.attributes[name] }

    /// What a stage does to each person.
    private static func editing(_ attribute: String, _ value: @escaping (StoredRow) -> PropertyValue) -> UpgradeStage.Code {
        { store in
            try store.write {
                var rows: [StoredRow] = []
                try store.forEachRow(of: store.concreteEntity("Person")) { rows.append($0) }
                for row in rows { _ = try store.put("Person", name: row.name, RowEdit(attributes: [attribute: value(row)])) }
            }
        }
    }

    private static var splitting: UpgradeStage.Code {
        editing("first") { row in
            guard case .string(let name)? = row.attributes["name"], let part = name.split(separator: ",").last else { return .null }
            return .string(part.trimmingCharacters(in: .whitespaces))
        }
    }

    // MARK: Nothing to send

    @Test func `structure and defaults send nothing and leave all in step`() throws {
        let sent = a.sentCount
        try a.upgrade(to: Self.ranked, version: Self.versionTwo)
        try pair.put(b, "Person", "grace", ["name": .string("Hopper, Grace")])
        for _ in 0..<2 { for device in [a, b] { try device.sync() } }
        #expect(a.sentCount == sent)
        #expect(try pair.row(a, "grace")?.attributes["rank"] == .integer(7))
        #expect(field("rank") == nil)
        #expect(a.fullFetchCount == 0)
    }

    @Test func `what waits and what is on its way survives a migration, and goes once`() throws {
        try pair.put(a, "Person", "ada", ["name": .string("Byron, Ada")])
        a.lostAnswers = 1
        try a.sync()
        try pair.put(a, "Person", "ada", ["note": .string("later")])
        let frozen = try a.store.frozenOperations().map { "\($0.id)" }
        #expect(frozen.count == 1)
        try a.upgrade(to: Self.two, version: Self.versionTwo)
        #expect(try a.store.frozenOperations().map(\.id) == frozen)
        try pair.settle(b, to: Self.two)
        #expect(field("name") == .string("Byron, Ada") && field("note") == .string("later"))
        #expect(zone.received[frozen[0]] == 2)
    }

    // MARK: Code of a stage

    @Test func `what a stage makes is sent once, and a device that makes the same sends nothing`() throws {
        try a.upgrade(to: Self.two, version: Self.versionTwo, after: Self.splitting)
        try a.sync()
        #expect(field("first") == .string("Ada"))
        let (sent, sequence) = (b.sentCount, zone.sequence)
        try b.sync()
        try b.upgrade(to: Self.two, version: Self.versionTwo, after: Self.splitting)
        try pair.settle()
        #expect(b.sentCount == sent && zone.sequence == sequence)
        #expect(try value("first", b) == .string("Ada"))
    }

    @Test func `a person's edit of a field that is new here stands against the code that fills it`() throws {
        try a.upgrade(to: Self.two, version: Self.versionTwo, after: Self.splitting)
        try pair.put(a, "Person", "ada", ["first": .string("Augusta")])
        try a.sync()
        try b.sync()
        let sent = b.sentCount
        try b.upgrade(to: Self.two, version: Self.versionTwo, after: Self.splitting)
        #expect(try value("first", b) == .string("Augusta"))
        try pair.settle()
        #expect(field("first") == .string("Augusta"))
        #expect(b.sentCount == sent)
    }

    @Test func `a person's edit elsewhere stands against an edit by a stage that has not heard of it`() throws {
        try pair.put(b, "Person", "ada", ["name": .string("King, Ada")])
        try b.sync()
        pair.pass(5_000)
        try a.upgrade(to: Self.two, version: Self.versionTwo, before: Self.editing("name") { _ in .string("LOVELACE, ADA") })
        try pair.settle(b, to: Self.two)
        #expect(field("name") == .string("King, Ada"))
        #expect(try value("name", a) == .string("King, Ada"))
    }

    @Test func `a row that a stage deletes stays where a person changed it meanwhile, and goes where nobody did`() throws {
        try pair.put(a, "Person", "eve", ["name": .string("Eve")])
        try pair.settle()
        try pair.put(b, "Person", "ada", ["note": .string("wanted")])
        try b.sync()
        try a.upgrade(
            to: Self.two, version: Self.versionTwo,
            before: { store in
                for name in ["ada", "eve"] { _ = try store.write { try store.delete(RecordName(name)) } }
            })
        try pair.settle(b, to: Self.two)
        #expect(pair.live("Person") == ["ada"])
        #expect(try value("note", a) == .string("wanted"))
    }

    // MARK: What goes

    @Test func `a field that goes here stays on the service and on the devices that have it, whatever else is edited`() throws {
        try a.upgrade(to: Self.three, version: Self.versionTwo, discarding: ["Person.note", "Tag"])
        try pair.put(a, "Person", "ada", ["name": .string("King, Ada")])
        for _ in 0..<2 { for device in [a, b] { try device.sync() } }
        #expect(field("note") == .string("old note"))
        #expect(try value("note", b) == .string("old note"))
        let fresh = try DeviceDouble(zone, Self.three, seed: 3)
        try fresh.sync()
        #expect(try fresh.journal.digest() == a.journal.digest())
    }

    @Test func `an edit of a field that goes before anybody heard of it is sent all the same`() throws {
        try pair.put(a, "Person", "ada", ["note": .string("last word")])
        try pair.put(a, "Person", "new", ["name": .string("New"), "note": .string("with a note")])
        try pair.put(a, "Tag", "t", ["label": .string("green")])
        try a.upgrade(to: Self.three, version: Self.versionTwo, discarding: ["Person.note", "Tag"])
        for _ in 0..<2 { for device in [a, b] { try device.sync() } }
        #expect(field("note") == .string("last word"))
        #expect(field("note", of: "new") == .string("with a note"))
        #expect(try pair.row(b, "t")?.attributes["label"] == .string("green"))
        #expect(try a.store.outboxSummary(at: .max).pendingCount == 0)
        #expect(try a.store.frozenOperations().isEmpty)
    }

    @Test func `what was saved before the account ever reached its service is sent with a field that goes before it does`() throws {
        let zone = ZoneDouble()
        let device = try DeviceDouble(zone, Self.one, seed: 4)
        try edit(device, "Person", "new", ["name": .string("New"), "note": .string("kept")])
        try device.upgrade(to: Self.three, version: Self.versionTwo, discarding: ["Person.note", "Tag"])
        try device.sync()
        #expect(zone.entries["new"]?.record.fields["note"]?.value == .string("kept"))
        #expect(try device.store.outboxSummary(at: .max).pendingCount == 0)
    }

    @Test func `records of an entity that goes are left on the service, and come again with it`() throws {
        try a.upgrade(to: Self.three, version: Self.versionTwo, discarding: ["Person.note", "Tag"])
        try a.sync()
        #expect(pair.live("Tag") == ["t"])
        try pair.put(b, "Tag", "u", ["label": .string("blue")])
        for _ in 0..<2 { for device in [a, b] { try device.sync() } }
        #expect(pair.live("Tag") == ["t", "u"])
        try a.upgrade(to: Self.two, version: SchemaVersion(3, 0, 0))
        try pair.settle(b, to: Self.two)
        #expect(try pair.row(a, "t")?.attributes["label"] == .string("red"))
        #expect(try pair.row(a, "u")?.attributes["label"] == .string("blue"))
        #expect(try value("note", a) == .string("old note"))
    }

    // MARK: Relationships

    @Test func `members of a relationship that is kept in pairs now are there for a new device`() throws {
        func entities(many: Bool) -> [Entity] {
            [
                Entity("List", relationships: [Relationship("items", to: "Item", isToMany: true, inverse: many ? "lists" : "list")]),
                Entity(
                    "Item",
                    relationships: [
                        many
                            ? Relationship("lists", to: "List", isToMany: true, inverse: "items", wireName: "list")
                            : Relationship("list", to: "List", inverse: "items")
                    ]),
            ]
        }
        let pair = try DevicePair(entities(many: false))
        try pair.put(pair.a, "List", "l")
        for item in ["i", "j"] { try pair.put(pair.a, "Item", item, to: ["list": "l"]) }
        try pair.settle()
        try pair.a.upgrade(to: entities(many: true), version: Self.versionTwo)
        try pair.a.sync()
        let fresh = try DeviceDouble(pair.zone, entities(many: true), seed: 3)
        try fresh.sync()
        let join = try #require(fresh.store.layout.sortedEntities.first { $0.isJoin })
        #expect(try fresh.store.count(of: join) == 2)
        try pair.settle(pair.b, to: entities(many: true))
    }

    @Test func `a reference that arrives with its entity leads where newer devices say`() throws {
        let linked = [
            Entity(
                "Person", attributes: [Self.name, Self.note], relationships: [Relationship("home", to: "House", inverse: "people")]),
            Entity("Tag", attributes: [Attribute("label", .string)]),
            Entity(
                "House", attributes: [Attribute("street", .string)],
                relationships: [Relationship("people", to: "Person", isToMany: true, inverse: "home")]),
        ]
        try a.upgrade(to: linked, version: Self.versionTwo)
        try pair.put(a, "House", "h", ["street": .string("s")])
        try pair.put(a, "Person", "ada", to: ["home": "h"])
        try a.sync()
        try pair.settle(b, to: linked)
        #expect(try pair.row(b, "ada")?.references["home"] == RecordName("h"))
        #expect(b.fullFetchCount == 0)
    }

    @Test func `pairs of a relationship that goes and comes back come with it`() throws {
        func entities(_ isRelated: Bool) -> [Entity] {
            [
                Entity("Box", relationships: isRelated ? [Relationship("tags", to: "Tag", isToMany: true, inverse: "boxes")] : []),
                Entity(
                    "Tag", attributes: [Attribute("label", .string)],
                    relationships: isRelated ? [Relationship("boxes", to: "Box", isToMany: true, inverse: "tags")] : []),
            ]
        }
        let pair = try DevicePair(entities(true))
        try pair.put(pair.a, "Tag", "t", ["label": .string("l")])
        try pair.put(pair.a, "Box", "b", with: ["tags": ["t"]])
        try pair.settle()
        try pair.a.upgrade(to: entities(false), version: Self.versionTwo, discarding: ["Box.tags", "Tag.boxes"])
        try pair.put(pair.b, "Box", "c", with: ["tags": ["t"]])
        for _ in 0..<2 { for device in [pair.a, pair.b] { try device.sync() } }
        try pair.a.upgrade(to: entities(true), version: SchemaVersion(3, 0, 0))
        try pair.settle()
        let join = try #require(pair.a.store.layout.sortedEntities.first { $0.isJoin })
        #expect(try pair.a.store.count(of: join) == 2)
    }

    @Test func `what a stage makes of a person's unsent edit is as old as that edit`() throws {
        try pair.put(b, "Person", "ada", ["name": .string("earlier")])
        try b.sync()
        pair.pass(10_000)
        try pair.put(a, "Person", "ada", ["name": .string(" later ")])
        pair.pass(10_000)
        try a.upgrade(to: Self.two, version: Self.versionTwo, before: Self.editing("name") { _ in .string("later") })
        try pair.settle(b, to: Self.two)
        #expect(field("name") == .string("later"))
    }

    @Test func `a deletion that is only sent again after a stage is a person's still`() throws {
        try pair.put(a, "Person", "eve", ["name": .string("Eve")])
        try pair.settle()
        let older = zone.snapshot()
        try pair.delete(a, "eve")
        try pair.settle()
        try a.upgrade(to: Self.two, version: Self.versionTwo, after: Self.splitting)
        try a.sync()
        zone.restore(older)
        // Alone: the other device would say it again too.
        for _ in 0..<3 {
            try a.sync()
            pair.pass(400_000)
            try a.wake()
        }
        #expect(pair.live("Person") == ["ada"])
        #expect(try pair.row(a, "eve") == nil)
    }

    @Test func `a row that a stage deletes is not brought back by a lookup of what it was`() throws {
        try a.upgrade(
            to: Self.two, version: Self.versionTwo, before: { store in _ = try store.write { try store.delete(RecordName("ada")) } })
        a.lostRequests = 1
        try a.sync()
        // The operation is too old to be sent again: its records are looked up.
        pair.pass(8 * 86_400_000)
        try a.wake()
        try pair.settle(b, to: Self.two)
        #expect(pair.live("Person").isEmpty)
    }

    // MARK: Three devices

    @Test(arguments: 0..<40) func `three devices that upgrade in any order and edit meanwhile come to the same`(seed: UInt64) throws {
        let zone = ZoneDouble()
        let random = SeededRandom(seed &+ 1)
        func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        let devices = try (0..<3).map { try DeviceDouble(zone, Self.one, seed: seed &* 3 &+ UInt64($0) &+ 1) }
        var stages = [0, 0, 0]
        for step in 0..<40 {
            let place = below(3)
            let device = devices[place]
            for other in devices { other.time.now += 1_000 }
            zone.clock += 1_000
            switch below(8) {
            case 0 where stages[place] == 0:
                try device.upgrade(to: Self.ranked, version: Self.versionTwo, after: Self.splitting)
                stages[place] = 1
            case 0 where stages[place] == 1:
                try device.upgrade(to: Self.three, version: SchemaVersion(3, 0, 0), discarding: ["Person.note", "Person.rank", "Tag"])
                stages[place] = 2
            case 1, 2: try device.sync()
            case 3 where stages[place] < 2:
                try edit(device, "Tag", "t\(below(3))", ["label": .string("label \(step)")])
            default:
                var values: [String: PropertyValue] = ["name": .string("Family \(below(9)), Given \(step)")]
                if stages[place] < 2, below(2) == 0 { values["note"] = .string("note \(step)") }
                if stages[place] > 0, below(2) == 0 { values["first"] = .string("first \(step)") }
                try edit(device, "Person", "p\(below(4))", values)
            }
        }
        for place in devices.indices where stages[place] < 2 {
            if stages[place] == 0 { try devices[place].upgrade(to: Self.ranked, version: Self.versionTwo, after: Self.splitting) }
            try devices[place].upgrade(to: Self.three, version: SchemaVersion(3, 0, 0), discarding: ["Person.note", "Person.rank", "Tag"])
        }
        for _ in 0..<6 {
            for device in devices {
                try device.sync()
                for other in devices { other.time.now += 400_000 }
                zone.clock += 400_000
                try device.wake()
            }
        }
        let digests = try devices.map { try $0.journal.digest().text }
        #expect(Set(digests).count == 1, "seed \(seed)")
        let fresh = try DeviceDouble(zone, Self.three, seed: 99)
        try fresh.sync()
        #expect(try fresh.journal.digest().text == digests[0], "seed \(seed)")
        for device in devices { #expect(try device.store.outboxSummary(at: .max).pendingCount == 0, "seed \(seed)") }
    }

    private func edit(_ device: DeviceDouble, _ entity: String, _ name: String, _ values: [String: PropertyValue]) throws {
        _ = try device.store.write { try device.store.put(entity, name: RecordName(name), RowEdit(attributes: values)) }
    }
}

extension DevicePair {
    /// Syncs as `settle` does, after one that is still of an earlier version was brought to a later one.
    fileprivate func settle(_ device: DeviceDouble, to entities: [Entity]) throws {
        for device in [a, b] { try device.sync() }
        try device.upgrade(to: entities, version: SchemaVersion(9, 0, 0))
        try settle()
    }
}
