import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// Filters against rows; the expected values are what Swift gives for the same expression in memory.
@Suite struct RowQueryTests {
    private func count(_ store: Store, _ entity: String, _ filter: String) throws -> Int {
        let query = try RowQuery(entity, in: store.layout, where: RowFilter(parsing: filter)).count
        return Int(try store.connection.integer(query.sql, query.values))
    }

    private static let library: [Entity] = [
        Entity("Author", attributes: [Attribute("name", .string, isOptional: true)]),
        Entity(
            "Article", attributes: [Attribute("author", .string, isOptional: true)], relationships: [Relationship("writer", to: "Author")]),
    ]

    /// Field report 13: 14 articles, 4 by X, 2 by others, 8 with no author.
    @Test(arguments: [
        ("author != 'X'", 10), ("!(author == 'X')", 10), ("author == nil", 8), ("author != nil", 6), ("author == 'X'", 4),
        ("writer.name != 'X'", 10), ("!(writer.name == 'X')", 10), ("writer?.name == nil", 8), ("writer == nil", 8), ("writer != nil", 6),
        ("author in ['X', nil]", 12), ("!(author in ['X', nil])", 2), ("!author.contains('X')", 10), ("author < 'Y'", 4),
        ("!(author < 'Y')", 10), ("writer == 'nobody'", 0), ("writer != 'nobody'", 14), ("!(author != 'X' && writer.name != 'X')", 4),
        ("author in []", 0),
    ])
    func `nil differs from every value, also across a to-one relationship`(filter: String, expected: Int) throws {
        let store = try StoreFixture(Self.library).store
        try store.write {
            for name in ["X", "Y", "Z"] { try store.put("Author", name: .text(name), RowEdit(attributes: ["name": .string(name)])) }
            for author in ["X", "X", "X", "X", "Y", "Z"] {
                try store.put(
                    "Article", RowEdit(attributes: ["author": .string(author)], references: ["writer": RecordName(author)]))
            }
            for _ in 0..<8 { try store.put("Article", RowEdit()) }
        }
        #expect(try count(store, "Article", filter) == expected)
    }

    /// Field report 18.
    @Test(arguments: [
        ("t.contains('a_b')", 1), ("t.contains('50%')", 1), ("t.contains('_')", 1), ("t.contains('%')", 1), ("t.contains('\\\\')", 0),
        ("t.contains('')", 5), ("t.hasPrefix('50%')", 1), ("t.hasPrefix('50')", 3), ("t.hasPrefix('')", 5), ("t.contains('*')", 0),
    ])
    func `what is searched for is literal`(filter: String, expected: Int) throws {
        let store = try StoreFixture([Entity("Row", attributes: [Attribute("t", .string)])]).store
        try store.write {
            for text in ["a_b", "axb", "50%", "500", "50"] { try store.put("Row", RowEdit(attributes: ["t": .string(text)])) }
        }
        #expect(try count(store, "Row", filter) == expected)
    }

    @Test(arguments: [
        ("t == 'caf\u{e9}'", 2), ("t == 'cafe\u{301}'", 2), ("t != 'caf\u{e9}'", 1), ("t.hasPrefix('caf\u{e9}')", 2),
        ("t.contains('e\u{301}')", 2), ("t.hasPrefix('a\\0b')", 1), ("t.hasPrefix('a\\0c')", 0), ("t.contains('\\0b')", 1),
    ])
    func `text compares by canonical equivalence and past a NUL`(filter: String, expected: Int) throws {
        let store = try StoreFixture([Entity("Row", attributes: [Attribute("t", .string)])]).store
        try store.write {
            for text in ["caf\u{e9}", "cafe\u{301}", "a\0b"] { try store.put("Row", RowEdit(attributes: ["t": .string(text)])) }
        }
        #expect(try count(store, "Row", filter) == expected)
    }

    @Test(arguments: [
        ("x > 1", 2), ("x >= 1", 3), ("x < 1", 1), ("!(x > 1)", 4), ("x != 1", 5), ("x == 1", 1), ("i == 9007199254740993", 1),
        ("d > '2024-01-01'", 1), ("d > '2024-01-01T00:00:00.500Z'", 1), ("u == 'a0000000-0000-0000-0000-000000000001'", 1), ("b", 1),
        ("!b", 5), ("f == 0.1", 1),
    ])
    func `numbers, dates and identifiers compare as their type does, and a NaN is not greater than anything`(
        filter: String, expected: Int
    ) throws {
        let entity = Entity(
            "Row",
            attributes: [
                Attribute("x", .double, isOptional: true), Attribute("i", .int64, isOptional: true), Attribute("d", .date, isOptional: true),
                Attribute("u", .uuid, isOptional: true), Attribute("b", .boolean, isOptional: true),
                Attribute("f", .float, isOptional: true),
            ])
        let store = try StoreFixture([entity]).store
        let uuid = try #require(UUID(uuidString: "A0000000-0000-0000-0000-000000000001"))
        try store.write {
            for x in [0.5, 1, 2, .infinity, .nan] { try store.put("Row", RowEdit(attributes: ["x": .double(x)])) }
            try store.put(
                "Row",
                RowEdit(attributes: [
                    "i": .integer(9_007_199_254_740_993), "d": .date(Date(timeIntervalSince1970: 1_710_000_000)), "u": .uuid(uuid),
                    "b": .boolean(true), "f": .double(Double(Float(0.1))),
                ]))
        }
        #expect(try count(store, "Row", filter) == expected)
    }

    @Test(arguments: [
        "price > nil", "sku > 3", "nothing == 1", "list.nothing == 1", "tags == nil", "price == 'x'", "list > 'x'", "price.contains('1')",
        "due > 'yesterday'",
    ])
    func `what cannot be answered exactly is refused by name`(filter: String) throws {
        let store = try StoreFixture(.shop).store
        #expect(throws: FilterError.self) { try self.count(store, "Item", filter) }
    }

    @Test func `subentities, an order over a relationship, and a limit`() throws {
        let store = try StoreFixture(.shop).store
        try store.write {
            for title in ["b", "a"] { try store.put("List", name: .text(title), RowEdit(attributes: ["title": .string(title)])) }
            for (sku, list) in [("1", "b"), ("2", "a"), ("3", "b")] {
                try store.put("Item", name: .text(sku), RowEdit(attributes: ["sku": .string(sku)], references: ["list": .text(list)]))
            }
        }
        let query = try RowQuery("Item", in: store.layout, order: RowOrder(parsing: "list.title, sku desc"), limit: 2)
        let rows = try store.connection.rows(query.rows.sql, query.rows.values) { try query.row($0)?.name.text }
        #expect(rows == ["2", "3"])
        #expect(query.dependencies.map { store.layout.tables[$0.table].name } == ["List"])
    }
}
