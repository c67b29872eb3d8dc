import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// What merges decide is written down where it was decided.
@Suite struct ConflictNotesTests {
    private static let entities: [Entity] = [
        Entity("Note", attributes: [Attribute("text", .string, isOptional: true), Attribute("size", .int64, isOptional: true)]),
        Entity("Tag", attributes: [Attribute("label", .string)], uniqueness: [["label"]]),
    ]

    private func pair() throws -> DevicePair {
        let pair = try DevicePair(Self.entities)
        try pair.put(pair.a, "Note", "n", ["text": .string("first"), "size": .integer(1)])
        try pair.settle()
        return pair
    }

    private func notes(_ device: DeviceDouble) throws -> [SyncConflict] { try device.store.conflicts(limit: 100).map(\.conflict) }

    @Test func `two edits of one field: both values and whose stands; edits of different fields are no conflict`() throws {
        let pair = try pair()
        try pair.put(pair.a, "Note", "n", ["text": .string("from a")])
        pair.pass(1_000)
        try pair.put(pair.b, "Note", "n", ["text": .string("from b"), "size": .integer(2)])
        try pair.a.sync()
        try pair.settle()
        #expect(try notes(pair.a).isEmpty)
        #expect(try notes(pair.b) == [SyncConflict(RecordName("n"), entity: "Note", kind: .field, outcome: .device, property: "text", here: "from b", there: "from a")])
    }

    @Test func `an edit that lost to a deletion`() throws {
        let pair = try pair()
        try pair.delete(pair.a, "n")
        try pair.put(pair.b, "Note", "n", ["text": .string("edited")])
        try pair.a.sync()
        try pair.settle()
        #expect(try notes(pair.b) == [SyncConflict(RecordName("n"), entity: "Note", kind: .deletion, outcome: .service)])
    }

    @Test func `two records with one unique value: which became part of which`() throws {
        let pair = try pair()
        try pair.put(pair.a, "Tag", "t1", ["label": .string("same")])
        try pair.put(pair.b, "Tag", "t2", ["label": .string("same")])
        try pair.settle()
        let notes = try notes(pair.a) + notes(pair.b)
        #expect(!notes.isEmpty && notes.allSatisfy { $0.kind == .unique && $0.name == RecordName("t2") && $0.heir == RecordName("t1") })
        #expect(try pair.b.store.conflicts(of: RecordName("t1"), limit: 10).count == pair.b.store.conflicts(limit: 10).count)
    }

    @Test func `the list has a bound, and so have its values`() throws {
        let pair = try pair()
        let store = pair.a.store
        let long = String(repeating: "x", count: SyncConflict.valueCharactersMax + 1)
        try store.connection.transaction {
            for number in 0..<Int(Store.conflictCountMax) + 20 {
                try store.note(SyncConflict(RecordName("\(number)"), entity: "Note", kind: .field, outcome: .service, property: "text", here: long, there: "y"))
            }
        }
        let all = try store.conflicts(limit: .max)
        #expect(all.count == Int(Store.conflictCountMax) && all.first?.conflict.name == RecordName("\(all.count + 19)"))
        #expect(all.allSatisfy { $0.conflict.here == nil && $0.conflict.there == "y" })
        #expect(try store.conflicts(before: all[4].number, limit: 2).map(\.number) == [all[5].number, all[6].number])
    }
}
