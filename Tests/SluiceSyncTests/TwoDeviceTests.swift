import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

@Suite struct TwoDeviceTests {
    static let entities: [Entity] = [
        Entity(
            "List", attributes: [Attribute("title", .string)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "list", deleteRule: .cascade)]),
        Entity(
            "Item",
            attributes: [
                Attribute("sku", .string, isOptional: true), Attribute("price", .double, isOptional: true),
                Attribute("due", .date, isOptional: true),
            ],
            relationships: [
                Relationship("list", to: "List", inverse: "items"), Relationship("tags", to: "Tag", isToMany: true, inverse: "items"),
            ]),
        Entity(
            "Tag", attributes: [Attribute("label", .string), Attribute("colour", .string, isOptional: true)],
            relationships: [Relationship("items", to: "Item", isToMany: true, inverse: "tags")], uniqueness: [["label"]]),
    ]

    let zone = ZoneDouble()
    let a: DeviceDouble
    let b: DeviceDouble
    private let one = RecordName("1")

    init() throws {
        a = try DeviceDouble(zone, Self.entities, seed: 1)
        b = try DeviceDouble(zone, Self.entities, seed: 2)
    }

    private func put(_ device: DeviceDouble, _ entity: String, _ name: RecordName?, _ values: [String: PropertyValue]) throws {
        try device.store.write { _ = try device.store.put(entity, name: name, RowEdit(attributes: values)) }
    }

    private func value(_ device: DeviceDouble, _ name: RecordName, _ attribute: String) throws -> PropertyValue? {
        try device.store.storedRow(named: name)?.attributes[attribute]
    }

    private func settle() throws {
        for _ in 0..<3 { for device in [a, b] { try device.sync() } }
        let digests = try Set([a.journal.digest().text, b.journal.digest().text, zone.digest()])
        #expect(digests.count == 1)
        for device in [a, b] {
            #expect(try device.store.outboxSummary(at: .max).pendingCount == 0)
            #expect(device.core.isQuiet)
        }
    }

    @Test func `I-3 rows, references, pairs and special numbers arrive and both devices and the service agree byte for byte`() throws {
        try a.store.write {
            let list = try a.store.put("List", RowEdit(attributes: ["title": .string("e\u{301}\0")])).name
            let tag = try a.store.put("Tag", RowEdit(attributes: ["label": .string("t")])).name
            for price in [Double.nan, .infinity, -0.0, 1] {
                _ = try a.store.put(
                    "Item", RowEdit(attributes: ["price": .double(price)], references: ["list": list], collections: ["tags": [tag]]))
            }
            _ = try a.store.put("Item", RowEdit(attributes: ["due": .date(Date(timeIntervalSinceReferenceDate: 1e300))]))
        }
        try settle()
        #expect(try b.store.count(of: b.store.concreteEntity("Item")) == 5)
        #expect(try b.store.count(of: #require(b.store.layout.entities["Item_tags"])) == 4)
    }

    @Test func `21 a date between two milliseconds is sent once and never looks edited again`() throws {
        try put(a, "Item", one, ["due": .date(Date(timeIntervalSinceReferenceDate: 573_385_274.217203))])
        try settle()
        guard case .timestamp(let wire)? = zone.live.first?.fields["due"]?.value else { return #expect(Bool(false)) }
        #expect(wire == 1_551_692_474_217)
        let sent = a.sentCount + b.sentCount
        for _ in 0..<10 { try settle() }
        #expect(a.sentCount + b.sentCount == sent)
    }

    @Test func `edits of different fields of one record both survive`() throws {
        try put(a, "Item", one, ["sku": .string("s"), "price": .double(1)])
        try settle()
        try put(a, "Item", one, ["sku": .string("from a")])
        try put(b, "Item", one, ["price": .double(2)])
        try settle()
        for device in [a, b] {
            #expect(try value(device, one, "sku") == .string("from a"))
            #expect(try value(device, one, "price") == .double(2))
        }
    }

    @Test func `the later of two edits of one field wins, whichever device syncs first`() throws {
        try put(a, "Item", one, ["sku": .string("s")])
        try settle()
        try put(a, "Item", one, ["sku": .string("earlier")])
        b.time.now += 1_000
        try put(b, "Item", one, ["sku": .string("later")])
        try b.sync()
        try settle()
        #expect(try value(a, one, "sku") == .string("later"))
    }

    @Test func `31 a clock in the future does not win for ever and one in the past can still edit`() throws {
        a.time.now += 10 * 365 * 86_400_000
        try put(a, "Item", one, ["sku": .string("A")])
        try settle()
        try put(b, "Item", one, ["sku": .string("B")])
        try settle()
        #expect(try value(a, one, "sku") == .string("B"))
        b.time.now = 1_000
        try put(b, "Item", one, ["sku": .string("C")])
        try settle()
        #expect(try value(a, one, "sku") == .string("C"))
    }

    @Test func `24 a lost answer is repeated under the same id and has its effect once, and an edit made meanwhile arrives`() throws {
        try a.sync()
        for index in 0..<5 { try put(a, "Item", RecordName("\(index)"), ["sku": .string("x")]) }
        a.lostAnswers = 1
        try a.sync()
        try put(a, "Item", one, ["sku": .string("edited")])
        try a.passTime(400_000)
        #expect(zone.received.values.sorted() == [1, 2])
        #expect(zone.appliedCount == 6)
        try settle()
        #expect(try value(b, one, "sku") == .string("edited"))
    }

    @Test func `25 passing refusals are tried again, lasting ones are kept and shown, and the others are sent once`() throws {
        for index in 0..<5 { try put(a, "Item", RecordName("\(index)"), [:]) }
        zone.refusals = [
            "1": ServerError(.tryAgainLater, "busy"), "2": ServerError(.throttled, "slow down", retryAfter: 2),
            "3": ServerError(.badRequest, "invalid"),
        ]
        try a.sync()
        #expect(zone.live.count == 2)
        zone.refusals["1"] = nil
        zone.refusals["2"] = nil
        try a.passTime(2_000)
        #expect(zone.live.count == 4)
        #expect(zone.appliedCount == 4)
        #expect(try a.store.setAsideRecords(limit: 9).map(\.reason) == ["BAD_REQUEST: invalid"])
    }

    @Test func `a deletion wins over an edit and the record stays gone`() throws {
        try put(a, "Item", one, ["sku": .string("s")])
        try settle()
        try a.store.write { _ = try a.store.delete(one) }
        try put(b, "Item", one, ["sku": .string("edited")])
        try b.sync()
        try settle()
        #expect(zone.live.isEmpty)
    }

    @Test func `R6 delete then insert of the same name before sync shows the new row on the other device`() throws {
        try put(a, "Item", one, ["sku": .string("old"), "price": .double(1)])
        try settle()
        try a.store.write {
            _ = try a.store.delete(one)
            _ = try a.store.put("Item", name: one, RowEdit(attributes: ["sku": .string("new")]))
        }
        try settle()
        #expect(try value(b, one, "sku") == .string("new"))
        #expect(try value(b, one, "price") == .null)
    }

    @Test func `28 an expired token leads to one full fetch that keeps unsent edits and drops what is gone`() throws {
        for index in 0..<10 { try put(a, "Item", RecordName("\(index)"), [:]) }
        try settle()
        // Gone without a tombstone in the feed: the service has forgotten it.
        let page = try zone.changes(after: nil)
        let remaining = page.records.compactMap(\.record).filter { $0.recordName != "3" }
        try put(a, "Item", RecordName("unsent"), [:])
        try a.journal.beginFullFetch(.tokenExpired)
        _ = try a.journal.apply(
            ZoneChanges(ZoneID("z"), syncToken: page.syncToken, moreComing: false, records: remaining.map(RecordResult.record)),
            epoch: zone.epoch, latestStamp: a.latestStamp)
        _ = try a.journal.finishFeed(latestStamp: a.latestStamp)
        #expect(try a.store.count(of: a.store.concreteEntity("Item")) == 10)
        #expect(try a.store.storedRow(named: RecordName("3")) == nil)
        #expect(try a.store.storedRow(named: RecordName("unsent")) != nil)
    }

    @Test func `a service restored from an older copy gets back what it lost, and an edit of its own timeline is merged`() throws {
        try put(a, "Item", one, ["sku": .string("first"), "price": .double(1)])
        try settle()
        let copy = zone.snapshot()
        try put(a, "Item", one, ["sku": .string("second")])
        try put(a, "Item", RecordName("2"), [:])
        try settle()
        zone.restore(copy)
        zone.clock += 10_000
        zone.foreignWrite("1", ["price": Field(.double(9))])
        try settle()
        #expect(Set(zone.live.map(\.recordName)) == ["1", "2"])
        #expect(try value(b, one, "sku") == .string("second"))
        #expect(try value(b, one, "price") == .double(9))
    }

    @Test func `32 a deleted record does not come back from a device that was away while the service lost its memory`() throws {
        try put(a, "Item", one, [:])
        try settle()
        try a.store.write { _ = try a.store.delete(one) }
        try a.sync()
        zone.restore(([:], 0))
        try a.sync()
        try b.sync()
        try settle()
        #expect(zone.live.isEmpty)
        #expect(try b.store.storedRow(named: one) == nil)
    }

    @Test func `two devices that make the same unique value end with one record and no reference lost`() throws {
        for (device, name, colour) in [(a, "tag-a", "red"), (b, "tag-b", "blue")] {
            try device.store.write {
                let tag = try device.store.put(
                    "Tag", name: RecordName(name), RowEdit(attributes: ["label": .string("same"), "colour": .string(colour)])).name
                _ = try device.store.put("Item", name: RecordName("item-\(name)"), RowEdit(collections: ["tags": [tag]]))
            }
            device.time.now += 1_000
        }
        try settle()
        #expect(zone.live.filter { $0.recordType == "Tag" }.map(\.recordName) == ["tag-a"])
        for device in [a, b] {
            let tag = try #require(try device.store.row(named: RecordName("tag-a")))
            let link = try #require(device.store.layout.entities["Tag"]?.link(named: "items"))
            #expect(try device.store.related(to: tag, over: link).count == 2)
        }
    }

    @Test func `a child that comes before its parent waits, and a cycle closes at the end of the feed`() throws {
        zone.pageSize = 1
        try a.store.write {
            let list = try a.store.put("List", name: RecordName("L"), RowEdit(attributes: ["title": .string("l")])).name
            _ = try a.store.put("Item", name: one, RowEdit(references: ["list": list]))
        }
        try a.sync()
        // The parent is edited, and so moves behind its child in the feed.
        try put(a, "List", RecordName("L"), ["title": .string("l2")])
        try a.sync()
        try settle()
        #expect(try b.store.storedRow(named: one)?.references["list"] == RecordName("L"))
        #expect(try b.store.inbox(limit: 9).isEmpty)
    }

    @Test func `records that require each other arrive as a set, and nobody sees half of it`() throws {
        let entities = [
            Entity(
                "Account", attributes: [Attribute("title", .string)],
                relationships: [
                    Relationship("bin", to: "Folder", isOptional: false), Relationship("folders", to: "Folder", isToMany: true, inverse: "account"),
                ]),
            Entity(
                "Folder", attributes: [Attribute("title", .string)],
                relationships: [Relationship("account", to: "Account", isOptional: false, inverse: "folders")]),
        ]
        let zone = ZoneDouble()
        zone.pageSize = 1
        let (a, b) = (try DeviceDouble(zone, entities, seed: 1), try DeviceDouble(zone, entities, seed: 2))
        try a.store.connection.transaction {
            try a.store.connection.execute(
                """
                INSERT INTO Account(_pk, _id, title, bin) VALUES (1, 'a', 'a', 1);
                INSERT INTO Folder(_pk, _id, title, account) VALUES (1, 'bin', 'bin', 1), (2, 'more', 'more', 1);
                """)
        }
        try a.sync()
        try b.sync()
        #expect(try b.store.storedRow(named: RecordName("a"))?.references["bin"] == RecordName("bin"))
        #expect(try b.journal.digest().text == zone.digest())
        // Of another circle only one half has come.
        zone.refusals["bin2"] = ServerError(.badRequest, "no")
        try a.store.connection.transaction {
            try a.store.connection.execute(
                "INSERT INTO Account(_pk, _id, title, bin) VALUES (2, 'a2', 'a2', 3); INSERT INTO Folder(_pk, _id, title, account) VALUES (3, 'bin2', 'bin', 2)")
        }
        try a.sync()
        try b.sync()
        #expect(try b.store.storedRow(named: RecordName("a2")) == nil)
    }

    @Test func `fields and types of a newer device stay on the service and survive a full resend`() throws {
        let newer = try DeviceDouble(
            zone,
            Self.entities + [Entity("Extra", attributes: [Attribute("x", .string)])], seed: 3)
        try newer.store.write { _ = try newer.store.put("Extra", RowEdit(attributes: ["x": .string("kept")])) }
        try newer.sync()
        try put(a, "Item", one, ["sku": .string("s")])
        try a.sync()
        zone.foreignWrite("1", ["novel": Field(.string("kept"))])
        try a.sync()
        try put(a, "Item", one, ["sku": .string("t")])
        try a.sync()
        #expect(zone.entries["1"]?.record.fields["novel"] == Field(.string("kept")))
        zone.restore(([:], 0))
        try a.sync()
        try a.sync()
        #expect(zone.entries["1"]?.record.fields["novel"] == Field(.string("kept")))
    }
}
