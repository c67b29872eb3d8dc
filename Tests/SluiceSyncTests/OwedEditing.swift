import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceSync

/// Two devices of an account, one of which goes to a version without a property and an entity.
protocol OwedEditing {
    var pair: DevicePair { get }
}

enum OwedEdits {
    static let name = Attribute("name", .string)
    static let note = Attribute("note", .string, isOptional: true)
    static let tag = Entity(
        "Tag", attributes: [Attribute("label", .string), Attribute("color", .string, isOptional: true)],
        relationships: [Relationship("person", to: "Person", inverse: "tags")])
    static let whole = [
        Entity("Person", attributes: [name, note], relationships: [Relationship("tags", to: "Tag", isToMany: true, inverse: "person")]), tag,
    ]
    static let less = [Entity("Person", attributes: [name])]
    static let discarded: Set<String> = ["Person.note", "Person.tags", "Tag"]

    /// A person with a note and a tag, known to both devices.
    static func makePair() throws -> DevicePair {
        let pair = try DevicePair(whole)
        try pair.put(pair.a, "Person", "ada", ["name": .string("Ada"), "note": .string("old")])
        try pair.put(pair.a, "Tag", "t", ["label": .string("red"), "color": .string("#f00")], to: ["person": "ada"])
        try pair.settle()
        return pair
    }
}

extension OwedEditing {
    var a: DeviceDouble { pair.a }
    var b: DeviceDouble { pair.b }
    var zone: ZoneDouble { pair.zone }

    func field(_ name: String, of record: String = "ada") -> FieldValue? { zone.entries[record]?.record.fields[name]?.value }

    func note(_ text: String, on device: DeviceDouble? = nil) throws {
        try pair.put(device ?? a, "Person", "ada", ["note": .string(text)])
    }

    func label(_ text: String, on device: DeviceDouble? = nil) throws {
        try pair.put(device ?? a, "Tag", "t", ["label": .string(text)])
    }

    func upgrade() throws { try a.upgrade(to: OwedEdits.less, version: SchemaVersion(2, 0, 0), discarding: OwedEdits.discarded) }

    /// Both until all is quiet; the devices are of different versions, so that only their outboxes tell.
    func quiet() throws {
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
}
