import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// One device deletes a record, another edits it, and neither has seen the other.
@Suite struct EditAgainstDeletionTests {
    private static let entities: [Entity] = [
        Entity(
            "Shelf", attributes: [Attribute("title", .string, isOptional: true)],
            relationships: [Relationship("boxes", to: "Box", isToMany: true, inverse: "shelf", deleteRule: .cascade)]),
        Entity(
            "Box", attributes: [Attribute("text", .string, isOptional: true), Attribute("size", .int64, isOptional: true)],
            relationships: [Relationship("shelf", to: "Shelf", isOptional: false, inverse: "boxes")]),
        Entity("Note", attributes: [Attribute("text", .string, isOptional: true), Attribute("size", .int64, isOptional: true)]),
    ]

    private func pair(_ policy: DeletionPolicy?) throws -> DevicePair {
        let rule = EntityMergePolicy(deletions: policy)
        let pair = try DevicePair(Self.entities, policies: MergePolicies(["Note": rule, "Box": rule]))
        try pair.put(pair.a, "Note", "1", ["text": .string("first"), "size": .integer(1)])
        try pair.settle()
        return pair
    }

    /// `b` edits, `a` deletes; who is told of the other is the argument.
    private func contend(_ pair: DevicePair, deletionFirst: Bool) throws {
        try pair.put(pair.b, "Note", "1", ["text": .string("edited")])
        try pair.delete(pair.a, "1")
        for device in deletionFirst ? [pair.a, pair.b] : [pair.b, pair.a] { try device.sync() }
        try pair.settle()
    }

    @Test(arguments: [true, false]) func `a deletion wins, and the lost edit is in the history of whoever made it`(deletionFirst: Bool) throws {
        let pair = try pair(nil)
        let row = try #require(try pair.b.store.row(named: RecordName("1")))
        try contend(pair, deletionFirst: deletionFirst)
        for device in [pair.a, pair.b] { #expect(try pair.row(device, "1") == nil) }
        let text = try #require(pair.b.store.layout.tables[row.table].columns.firstIndex { $0.attribute?.name == "text" })
        let deletion = try #require(try pair.b.store.changes(after: 0, limit: 1_000).last { $0.kind == .delete && $0.row == row })
        #expect(try pair.b.store.oldValue(table: row.table, column: text, at: deletion.sequence) == .text("edited"))
    }

    @Test(arguments: [true, false]) func `where edits win, the record comes back everywhere as it was edited, and once`(deletionFirst: Bool) throws {
        let pair = try pair(.editWins)
        try contend(pair, deletionFirst: deletionFirst)
        for device in [pair.a, pair.b] {
            #expect(try pair.row(device, "1")?.attributes == ["text": .string("edited"), "size": .integer(1)])
        }
        #expect(pair.live("Note") == ["1"])
        // And it can be deleted again.
        try pair.delete(pair.b, "1")
        try pair.settle()
        #expect(pair.live("Note") == [])
    }

    @Test(arguments: [false, true]) func `where edits win, a record that was deleted before the answer to its creation came stays deleted`(isEdited: Bool) throws {
        let pair = try pair(.editWins)
        try pair.put(pair.a, "Note", "2", ["text": .string("made")])
        pair.a.lostAnswers = 1
        try pair.a.sync()
        if isEdited {
            try pair.b.sync()
            try pair.put(pair.b, "Note", "2", ["text": .string("edited")])
            try pair.b.sync()
        }
        try pair.delete(pair.a, "2")
        // By then nobody may remember the operation, so it is given up, and what it did is looked up.
        pair.zone.forgetOperations()
        pair.pass(777_600_000)
        try pair.settle()
        #expect(pair.live("Note") == (isEdited ? ["1", "2"] : ["1"]))
    }

    @Test func `24 an edit whose answer was lost outlives a deletion that came after it, no more than once`() throws {
        let pair = try pair(.editWins)
        try pair.put(pair.b, "Note", "1", ["text": .string("edited")])
        pair.b.lostAnswers = 1
        try pair.b.sync()
        try pair.a.sync()
        // Whoever deletes it now has seen the edit.
        try pair.delete(pair.a, "1")
        try pair.a.sync()
        try pair.settle()
        #expect(pair.live("Note").count <= 1)
    }

    @Test func `two devices that edited bring back one record, with the edits of both`() throws {
        let pair = try pair(.editWins)
        let third = try DeviceDouble(pair.zone, Self.entities, policies: MergePolicies(["Note": EntityMergePolicy(deletions: .editWins)]), seed: 9)
        third.time.now = pair.a.time.now
        try third.sync()
        try pair.put(pair.a, "Note", "1", ["text": .string("edited")])
        try pair.put(pair.b, "Note", "1", ["size": .integer(2)])
        _ = try third.store.write { try third.store.delete(RecordName("1")) }
        try third.sync()
        try pair.settle()
        try third.sync()
        #expect(pair.live("Note") == ["1"])
        #expect(try third.store.storedRow(named: RecordName("1")) != nil)
    }

    @Test func `I-4 what nobody edited stays deleted: an import and what follows from another record's end are no person's word`() throws {
        let pair = try pair(.editWins)
        _ = try pair.b.store.write(.import) {
            try pair.b.store.put("Note", name: RecordName("1"), RowEdit(attributes: ["text": .string("imported")]))
        }
        try pair.delete(pair.a, "1")
        try pair.a.sync()
        try pair.settle()
        #expect(pair.live("Note") == [])
    }

    @Test(arguments: [true, false]) func `I-7 what cannot be without a deleted record goes with it, though it was edited`(deletionFirst: Bool) throws {
        let pair = try pair(.editWins)
        try pair.put(pair.a, "Shelf", "s")
        try pair.put(pair.a, "Box", "b", ["text": .string("first")], to: ["shelf": "s"])
        try pair.settle()
        try pair.put(pair.b, "Box", "b", ["text": .string("edited")])
        try pair.delete(pair.a, "s")
        for device in deletionFirst ? [pair.a, pair.b] : [pair.b, pair.a] { try device.sync() }
        try pair.settle()
        #expect(pair.live("Box") == [] && pair.live("Shelf") == [])
    }
}
