import Foundation
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Values of other rows in a row, and what refreshes them.
@Suite struct DerivedFieldTests {
    private let fixture: GroupFixture
    private var store: Store { fixture.store }

    private static let lists = Projection(
        "List",
        derived: [
            derived("open", "count(items where note == nil)"), derived("total", "sum(items.price)"), derived("mean", "average(items.price)"),
            derived("cheapest", "min(items.sku)"), derived("newest", "latest(items.sku by price)"), derived("isFull", "items.count > 1"),
            derived("labels", "count(items where tags.contains { $0.label == 'new' })"),
        ])
    private static let items = Projection(
        "Item", where: Fixed.filter("list.isHidden != true"), fields: ["sku"],
        derived: [derived("listTitle", "list.title"), derived("name", "note ?? sku"), derived("double", "price * 2"), derived("others", "count(list.items)")])

    private static func derived(_ name: String, _ text: String) -> Projection.DerivedField {
        do { return .init(name, try FilterExpression(parsing: text)) } catch { preconditionFailure("\(error)") }
    }

    init() throws {
        fixture = try GroupFixture(.shop)
        let store = fixture.store
        try store.write {
            for title in ["food", "cafe\u{301}"] { try store.put("List", name: .text(title), RowEdit(attributes: ["title": .string(title)])) }
            for (sku, price, list) in [("1", 1.5, "food"), ("2", 2, "food"), ("3", 4, "cafe\u{301}")] as [(String, Double, String)] {
                try store.put(
                    "Item", name: .text(sku),
                    RowEdit(attributes: ["sku": .string(sku), "price": .double(price)], references: ["list": .some(.text(list))]))
            }
        }
    }

    private func row(_ entity: String, _ name: String) throws -> [String: PropertyValue] {
        try #require(try fixture.container().read { try $0.row(named: RecordName(name)) }).attributes
    }

    @Test func `helpers read joined and derived values like any others`() throws {
        try fixture.writer([Self.lists, Self.items]).update(from: store)
        let food = try row("List", "food")
        #expect(food["open"] == .integer(2) && food["total"] == .double(3.5) && food["mean"] == .double(1.75))
        #expect(food["cheapest"] == .string("1") && food["newest"] == .string("2") && food["isFull"] == .boolean(true))
        let item = try row("Item", "3")
        #expect(item["listTitle"] == .string("cafe\u{301}") && item["name"] == .string("3") && item["double"] == .double(8))
        #expect(item["note"] == nil)
        // The derived text has its NFC form beside it: it is found by either spelling.
        #expect(try fixture.container().read { try $0.count(of: "Item", where: Fixed.filter("listTitle == 'caf\u{e9}'")) } == 1)
    }

    @Test func `a change of the target refreshes the rows that flatten it, and one that nobody looks at makes no generation`() throws {
        let writer = try fixture.writer([Self.lists, Self.items])
        let first = try writer.update(from: store)
        try store.write { try store.put("List", name: .text("food"), RowEdit(attributes: ["title": .string("drink")])) }
        let second = try writer.update(from: store)
        #expect(second.rebuild == nil && second.number == first.number + 1)
        #expect(try row("Item", "1")["listTitle"] == .string("drink"))
        try store.write { try store.put("List", name: .text("food"), RowEdit(attributes: ["isHidden": .boolean(true)])) }
        try writer.update(from: store)
        #expect(try fixture.container().read { try $0.count(of: "Item") } == 1)
    }

    @Test func `a child that comes, moves or goes refreshes the parents on both sides`() throws {
        let writer = try fixture.writer([Self.lists])
        try writer.update(from: store)
        try store.write { try store.put("Item", name: .text("1"), RowEdit(references: ["list": .some(.text("cafe\u{301}"))])) }
        try writer.update(from: store)
        #expect(try row("List", "food")["total"] == .double(2))
        #expect(try row("List", "cafe\u{301}")["total"] == .double(5.5))
        try store.write { try store.delete(.text("2")) }
        let last = try writer.update(from: store)
        #expect(try row("List", "food")["open"] == .integer(0) && row("List", "food")["newest"] == .null)
        #expect(last.rebuild == nil)
    }

    @Test func `only the rows that look at a change are looked at again`() throws {
        try store.write {
            for index in 0..<500 {
                try store.put("List", name: .text("l\(index)"), RowEdit(attributes: ["title": .string("\(index)")]))
                try store.put(
                    "Item", name: .text("i\(index)"), RowEdit(attributes: ["sku": .string("i\(index)")], references: ["list": .some(.text("l\(index)"))]))
            }
        }
        let (projections, schema) = ([Self.lists, Self.items], store.layout.schema)
        let projector = try Projector(projections, projected: ProjectedSchema(of: schema, by: projections), from: store.layout)
        let position = try store.lastChange()
        try store.write {
            try store.put("Item", name: .text("i7"), RowEdit(attributes: ["price": .double(1)]))
            try store.put("Item", name: .text("i8"), RowEdit(attributes: ["note": .string("x")]))
            try store.put("Item", name: .text("i9"), RowEdit(references: ["list": .some(.text("l10"))]))
        }
        let routes = ChangedRoutes(try #require(try store.changedRows(after: position, limit: 100)), in: store.layout)
        let affected = try projector.selections.map { selection in
            try routes.affected(in: selection.query.entity.table, by: selection.dependencies, of: store).count
        }
        // Lists: l7, l8, and both that i9 was in. Items: the three themselves, and i10, which counts its neighbours.
        #expect(affected == [4, 4])
    }

    @Test func `a limit shows the next row when one leaves, and drops the last when a better one comes`() throws {
        let rule = Projection("Item", order: Fixed.order("price desc"), limit: 2)
        try store.write {
            for index in 10..<200 {
                try store.put("Item", name: .text("\(index)"), RowEdit(attributes: ["sku": .string("\(index)"), "price": .double(Double(index))]))
            }
        }
        let writer = try fixture.writer([rule])
        try writer.update(from: store)
        func shown() throws -> [String] { try fixture.container().read { try $0.rows(of: "Item").map(\.name.text).sorted() } }
        #expect(try shown() == ["198", "199"])
        for (edit, expected) in [
            ({ try store.delete(.text("199")) }, ["197", "198"]),
            ({ try store.put("Item", name: .text("10"), RowEdit(attributes: ["price": .double(500)])) }, ["10", "198"]),
            ({ try store.put("Item", name: .text("10"), RowEdit(attributes: ["price": .double(0)])) }, ["197", "198"]),
        ] as [(() throws -> Void, [String])] {
            try store.write { try edit() }
            #expect(try writer.update(from: store).rebuild == nil)
            #expect(try shown() == expected)
        }
        // More rows leave at once than are in reserve.
        try store.write { for index in 100..<200 { try store.put("Item", name: .text("\(index)"), RowEdit(attributes: ["price": .null])) } }
        #expect(try writer.update(from: store).rebuild == nil)
        #expect(try shown() == ["98", "99"])
    }

    @Test(arguments: [
        ("derived", "sku", "name of a property"), ("twice", "list", "needs a property"), ("clock", "date('now')", "clock"),
        ("wrong", "sum(items.price)", "no property items"), ("reference", "list", "reference"), ("bytes", "sum(tags.label)", "numbers"),
    ])
    func `a derived field that cannot be is refused with its reason`(name: String, text: String, reason: String) throws {
        let error = #expect(throws: (any Error).self) {
            let field = Projection.DerivedField(name == "derived" ? "sku" : "x", try FilterExpression(parsing: name == "twice" ? "min(tags)" : text))
            return try fixture.writer([Projection("Item", derived: [field])])
        }
        #expect("\(try #require(error))".contains(reason))
    }

    @Test func `the age after which rows are stale stands in the pointer and in the store, and changes without a rebuild`() throws {
        var rule = Projection("Item", freshness: .seconds(60))
        let first = try fixture.writer([rule]).update(from: store)
        #expect(try fixture.directory().pointer()?.freshness == ["Item": 60_000])
        rule.freshness = .seconds(90)
        let second = try fixture.writer([rule]).update(from: store)
        #expect(second.file == first.file && second.rebuild == nil)
        #expect(try fixture.directory().pointer()?.freshness == ["Item": 90_000])
        let connection = try Connection(path: "\(fixture.path("group"))/\(second.file.name)", mode: .readOnly)
        #expect(try connection.value("SELECT value FROM _sluice_store WHERE key = 'freshness'")?.text == "{\"Item\":90000}")
    }

    @Test func `an explanation names the indices, the rows, and whose changes count`() throws {
        let writer = try fixture.writer([Self.lists, Self.items])
        try writer.update(from: store)
        let explanations = try writer.explanations(in: store)
        let items = try #require(explanations.first { $0.entity == "Item" })
        #expect(items.rowsShown == 3 && items.rule.contains("where list.isHidden != true"))
        #expect(items.triggers.map(\.table) == ["Item", "Item", "List"])
        #expect(items.triggers.contains { $0.table == "List" && $0.columns == ["title", "isHidden"] && $0.route == ["list"] && $0.rowsPerChange == 1.5 })
        let lists = try #require(explanations.first { $0.entity == "List" })
        #expect(lists.indices.contains("Item$list"), "\(lists.plan)")
        let dry = try LocalStoreWriter.explanations(of: [Self.lists, Self.items], in: store)
        #expect(dry[1].rowsShown == nil && dry[1].sql == items.sql)
    }
}
