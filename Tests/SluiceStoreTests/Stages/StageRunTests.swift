import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct StageRunTests {
    private func things() throws -> StageFixture {
        try StageFixture { store in
            try store.put("Lamp", name: .text("lamp"), RowEdit())
            try store.put(
                "Shelf", name: .text("top"), RowEdit(attributes: ["label": .string("top")], references: ["lamp": .text("lamp")]))
            for (index, entity) in ["Thing", "Jar", "Tin"].enumerated() {
                try store.put(
                    entity, name: .text(entity.lowercased()),
                    RowEdit(
                        attributes: ["name": .string(entity), "rank": .integer(Int64(index))],
                        references: index == 0 ? [:] : ["shelf": .text("top")]))
            }
        }
    }

    @Test func `new values are worked out from the row as it was`() throws {
        let fixture = try StageFixture { store in
            try store.put("Box", name: nil, RowEdit(attributes: ["code": .string("a"), "short": .integer(1), "long": .integer(2)]))
        }
        let edit = StageEdit("Box", .set([.init("short", "long"), .init("long", "short + 10")]))
        #expect(try fixture.run(edit) == [1])
        #expect(try fixture.migration.count("SELECT short * 100 + long FROM Box") == 211)
    }

    @Test func `an edit reaches rows of subentities, and the condition chooses among them`() throws {
        let fixture = try things()
        #expect(try fixture.set("Thing", "name", "name || '!'", where: "rank > 0") == [2])
        #expect(try fixture.value("thing", "name") == .string("Thing"))
        #expect(try fixture.value("tin", "name") == .string("Tin!"))
        #expect(try fixture.set("Jar", "rank", "rank + 5") == [1])
        #expect(try fixture.value("jar", "rank") == .integer(6))
    }

    @Test func `a condition cannot reach beyond its entity`() throws {
        let fixture = try things()
        #expect(try fixture.set("Jar", "rank", "9", where: "1 OR 1") == [1])
        #expect(try fixture.value("tin", "rank") == .integer(2))
    }

    @Test func `siblings' properties of one name are each called by it`() throws {
        let fixture = try things()
        try fixture.run(StageEdit("Jar", .set([.init("fill", "0.5")])), StageEdit("Tin", .set([.init("fill", "'half'")])))
        try fixture.run(StageEdit("Tin", .set([.init("name", "fill || '-full'")])), StageEdit("Jar", .set([.init("rank", "fill * 8")])))
        #expect(try fixture.value("tin", "name") == .string("half-full"))
        #expect(try fixture.value("jar", "rank") == .integer(4))
    }

    @Test func `a text has its NFC form beside it`() throws {
        let fixture = try things()
        try fixture.set("Thing", "name", "'e' || char(769)", where: "name = 'Jar'")
        #expect(try fixture.migration.count("SELECT count(*) FROM Thing WHERE _nfc_name = 'é'") == 1)
        try fixture.set("Thing", "name", "'plain'")
        #expect(try fixture.migration.count("SELECT count(*) FROM Thing WHERE _nfc_name IS NOT NULL") == 0)
    }

    @Test func `what an edit changes is logged with origin migration, and what stays the same is not`() throws {
        let fixture = try things()
        let last = try fixture.migration.open { try $0.lastChange() }
        try fixture.set("Thing", "rank", "2")
        let changes = try fixture.migration.open { try $0.changes(after: last, limit: 10) }
        #expect(changes.count == 2)
        #expect(changes.allSatisfy { $0.origin == .migration && $0.kind == .update })
    }

    @Test func `other entities are tables of their names`() throws {
        let fixture = try things()
        try fixture.set("Shelf", "order", "(SELECT count(*) FROM Thing WHERE Thing.shelf = Shelf._pk AND Thing.name LIKE '%i%')")
        #expect(try fixture.value("top", "order") == .integer(1))
        try fixture.set("Shelf", "order", "(SELECT count(*) + max(rank) * 10 FROM Jar WHERE Jar.shelf = Shelf._pk AND Jar.fill IS NULL)")
        #expect(try fixture.value("top", "order") == .integer(11))
        try fixture.set("Thing", "rank", "(SELECT count(*) FROM Thing AS other WHERE other.rank < Thing.rank) + 40")
        #expect(try fixture.migration.count("SELECT sum(rank) FROM Thing") == 123)
    }

    // MARK: Deleting

    @Test func `a deletion takes along what its rules say`() throws {
        let fixture = try StageFixture { store in
            for code in ["a", "b"] {
                let box = try store.put("Box", name: nil, RowEdit(attributes: ["code": .string(code)])).name
                try store.put("Thing", name: .text(code), RowEdit(attributes: ["name": .string(code)], references: ["box": box]))
            }
        }
        #expect(try fixture.run(StageEdit("Thing", where: "name = 'a'", .delete)) == [2])
        #expect(try fixture.migration.count("SELECT count(*) FROM Box WHERE code = 'b'") == 1)
        #expect(try fixture.migration.count("SELECT count(*) FROM Box") == 1)
    }

    @Test func `a rule that denies a deletion ends the stage, and names the edit`() throws {
        let fixture = try things()
        let before = try fixture.contents()
        let error = #expect(throws: StageEditFailure.self) {
            try fixture.run(StageEdit("Thing", where: "rank = 0", .delete), StageEdit("Shelf", .delete))
        }
        #expect(error?.edit == 2)
        #expect(
            error?.description.contains("after, edit 2, Shelf: record top of Shelf is not deleted while its things is not empty") == true)
        #expect(try fixture.contents() == before)
    }

    // MARK: References

    @Test func `a reference is set by the key of its destination, and one that leads nowhere ends the stage`() throws {
        let fixture = try things()
        try fixture.set("Thing", "shelf", "(SELECT _pk FROM Shelf WHERE label = 'top')", where: "rank = 0")
        #expect(try fixture.migration.references("thing")["shelf"] == .text("top"))
        try fixture.set("Thing", "shelf", "NULL", where: "rank = 0")
        #expect(try fixture.migration.references("thing")["shelf"] == nil)
        let lost = #expect(throws: StageEditFailure.self) { try fixture.set("Thing", "shelf", "4711") }
        #expect(
            lost?.description
                == "version 1.0.0, after, edit 1, Thing.shelf: 3 rows would refer to no row of Shelf: give the _pk of one, or NULL")
        let worded = #expect(throws: StageEditFailure.self) { try fixture.set("Thing", "shelf", "'1'") }
        #expect(worded?.description.contains("3 rows would get a value that is no _pk of a row") == true)
    }

    // MARK: Failures

    @Test func `values that do not fit are counted, and everything is as it was`() throws {
        let fixture = try things()
        let before = try fixture.contents()
        let error = #expect(throws: StageEditFailure.self) {
            try fixture.run(
                StageEdit("Thing", .set([.init("name", "'changed'")])), StageEdit("Thing", .set([.init("rank", "rank * 3000000000")])))
        }
        #expect(
            error?.description
                == "version 1.0.0, after, edit 2, Thing.rank: 2 rows would get a value that is no int32: convert it in the expression, "
                + "or narrow `where`")
        #expect(try fixture.contents() == before)
    }

    @Test func `a required value that goes is counted`() throws {
        let fixture = try things()
        let error = #expect(throws: StageEditFailure.self) { try fixture.set("Thing", "rank", "nullif(rank, 1)") }
        guard case .missingValues(rows: 1)? = error?.reason else { throw error ?? StageEditFailure.none }
        #expect(error?.property == "rank")
    }

    @Test func `values that are no longer unique name the properties`() throws {
        let fixture = try StageFixture { store in
            for label in ["a", "b"] {
                let lamp = try store.put("Lamp", name: .text(label + "lamp"), RowEdit()).name
                try store.put("Shelf", name: .text(label), RowEdit(attributes: ["label": .string(label)], references: ["lamp": lamp]))
            }
        }
        let error = #expect(throws: StageEditFailure.self) { try fixture.set("Shelf", "label", "'same'") }
        #expect(error?.description.hasPrefix("version 1.0.0, after, edit 1, Shelf.label: two rows would have the same label") == true)
    }

    @Test func `where SQLite fails, the property is found`() throws {
        let fixture = try things()
        let edit = StageEdit("Thing", .set([.init("name", "upper(name)"), .init("rank", "abs(-9223372036854775807 - rank)")]))
        let error = #expect(throws: StageEditFailure.self) { try fixture.run(edit) }
        #expect(error?.description == "version 1.0.0, after, edit 1, Thing.rank: SQLite refused it (integer overflow)")
        #expect(try fixture.value("jar", "name") == .string("Jar"))
    }

    @Test func `a date function does not see the clock through a value either`() throws {
        let fixture = try things()
        try fixture.set("Thing", "name", "'2026-01-02'")
        try fixture.set("Thing", "name", "date(name, '+1 day')")
        #expect(try fixture.value("jar", "name") == .string("2026-01-03"))
        try fixture.set("Thing", "name", "'n' || 'ow'")
        let error = #expect(throws: StageEditFailure.self) { try fixture.set("Thing", "name", "date(name)") }
        #expect(error?.description.contains("clock or the time zone") == true)
    }

    @Test func `an edit that is stopped is nobody's mistake`() throws {
        let fixture = try things()
        let slow = "(SELECT count(*) FROM Thing a, Thing b, Thing c, Thing d, Thing e, Thing f, Thing g)"
        let error = #expect(throws: SQLiteError.self) {
            try StoreMigration(path: fixture.migration.path, options: fixture.migration.options).run { transaction in
                transaction.watch(every: .zero, isCancelled: { true }) {}
                try StageRun([StageEdit("Thing", .set([.init("rank", slow)]))], .after, on: transaction.store()).run()
            }
        }
        #expect(error.map { ResultCode.interrupted ~= $0.code } == true)
    }

    @Test func `edits that do not fit the store's schema change nothing`() throws {
        let fixture = try things()
        let before = try fixture.contents()
        #expect(throws: StageEditFailure.self) {
            try fixture.run(StageEdit("Thing", .set([.init("name", "'x'")])), StageEdit("Thing", .set([.init("name", "random()")])))
        }
        #expect(try fixture.contents() == before)
    }
}

extension StageEditFailure {
    /// For a test that found no failure where it expected one.
    static let none = StageEditFailure(
        version: SchemaVersion(0, 0, 0), half: .after, edit: 0, entity: "", property: nil, reason: .faults([]))
}
