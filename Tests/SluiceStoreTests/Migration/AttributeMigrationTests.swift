import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct AttributeMigrationTests {
    private func item(_ attributes: [Attribute], uniqueness: [[String]] = [], indices: [[String]] = []) -> [Entity] {
        [Entity("Item", attributes: attributes, uniqueness: uniqueness, indices: indices)]
    }

    private let name = Attribute("name", .string)

    private func names(_ count: Int) -> [RecordName] { (0..<count).map { RecordName("\($0)") } }

    private func fill(_ fixture: MigrationFixture, _ entities: [Entity], _ values: [[String: PropertyValue]]) throws {
        try fixture.open(entities) { store in
            try store.write {
                for (index, values) in values.enumerated() {
                    try store.put("Item", name: RecordName("\(index)"), RowEdit(attributes: values))
                }
            }
        }
    }

    private func values(_ fixture: MigrationFixture, _ attribute: String) throws -> [PropertyValue?] {
        try fixture.open { store in
            var values: [PropertyValue?] = []
            try store.forEachRow(of: #require(store.layout.entities["Item"])) { values.append($0.attributes[attribute]) }
            return values
        }
    }

    @Test func `an optional attribute is added empty`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([name]), [["name": .string("a")], ["name": .string("b")]])
        try fixture.migrate(to: item([name, Attribute("note", .string, isOptional: true)]))
        #expect(try values(fixture, "note") == [.null, .null])
        #expect(try values(fixture, "name") == [.string("a"), .string("b")])
    }

    @Test(arguments: [
        (AttributeType.string, PropertyValue.string("new")), (.string, .string("e\u{301}")), (.string, .string("it's")),
        (.int64, .integer(-3)),
        (.double, .double(1.5)), (.double, .double(-1.5)), (.double, .double(.nan)), (.double, .double(-0.0)), (.boolean, .boolean(true)),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 12.25))), (.data, .data(Data([0, 255]))),
        (.decimal, .decimal(Decimal(string: "1.10")!)),
        (.uuid, .uuid(UUID(uuidString: "6E1B0A7E-52A1-4B3C-9F0A-0123456789AB")!)),
    ])
    func `an attribute with a default is added with it, whatever it is`(type: AttributeType, value: PropertyValue) throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([name]), [["name": .string("a")], ["name": .string("b")]])
        try fixture.migrate(to: item([name, Attribute("more", type, defaultValue: value)]))
        #expect(try values(fixture, "more") == [value, value])
        let fresh = try MigrationFixture()
        try fill(fresh, item([name, Attribute("more", type, defaultValue: value)]), [["name": .string("a")], ["name": .string("b")]])
        let dump = "SELECT _pk, _id, name, more\(type == .string ? ", _nfc_more" : "") FROM Item ORDER BY _pk"
        #expect(try fixture.rows(dump) == fresh.rows(dump))
    }

    @Test func `an attribute that goes takes its values along and leaves the others alone`() throws {
        let fixture = try MigrationFixture()
        let old = item([name, Attribute("gone", .int64, isOptional: true), Attribute("kept", .double, defaultValue: .double(1))])
        try fill(fixture, old, [["name": .string("e\u{301}"), "gone": .integer(4), "kept": .double(.nan)], ["name": .string("b")]])
        try fixture.migrate(to: item([name, Attribute("kept", .double, defaultValue: .double(1))]))
        #expect(try values(fixture, "kept") == [.double(.nan), .double(1)])
        #expect(try values(fixture, "name") == [.string("e\u{301}"), .string("b")])
        #expect(try fixture.rows("SELECT _nfc_name FROM Item") == [[.text("\u{E9}")], [.null]])
    }

    @Test func `a renamed attribute keeps its values, and its name on the wire through every later rename`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([name]), [["name": .string("e\u{301}")]])
        try fixture.migrate(to: item([Attribute("title", .string, wireName: "name")]))
        #expect(try values(fixture, "title") == [.string("e\u{301}")])
        try fixture.migrate(to: item([Attribute("heading", .string, wireName: "title")]))
        #expect(try values(fixture, "heading") == [.string("e\u{301}")])
        #expect(try fixture.open { $0.layout.entities["Item"]?.wireNames } == ["name"])
        try fixture.migrate(to: item([Attribute("heading", .string)]), version: SchemaVersion(3, 0, 0))
        #expect(try fixture.open { $0.layout.entities["Item"]?.wireNames } == ["name"])
    }

    @Test func `two attributes may change names with each other`() throws {
        let fixture = try MigrationFixture()
        let old = item([Attribute("a", .string), Attribute("b", .string), Attribute("c", .int64, defaultValue: .integer(1))])
        try fill(fixture, old, [["a": .string("1"), "b": .string("e\u{301}")]])
        try fixture.migrate(
            to: item([Attribute("x", .string, wireName: "a"), Attribute("b", .string), Attribute("c", .int64, defaultValue: .integer(1))]))
        try fixture.migrate(
            to: item([Attribute("b", .string), Attribute("a", .string, wireName: "x"), Attribute("c", .int64, defaultValue: .integer(1))]))
        #expect(try values(fixture, "a") == [.string("1")])
        #expect(try values(fixture, "b") == [.string("e\u{301}")])
    }

    @Test(arguments: [
        (AttributeType.int16, AttributeType.int64, PropertyValue.integer(-5), PropertyValue.integer(-5)),
        (.int32, .double, .integer(7), .double(7)), (.int64, .double, .integer(1 << 53), .double(0x1p53)),
        (.float, .double, .double(.nan), .double(.nan)), (.boolean, .int16, .boolean(true), .integer(1)),
        (.url, .string, .string("http://e\u{301}"), .string("http://e\u{301}")),
    ])
    func `a widened type keeps every value`(from: AttributeType, to: AttributeType, before: PropertyValue, after: PropertyValue) throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([Attribute("v", from, isOptional: true)]), [["v": before], [:]])
        try fixture.open { store in try store.write { try store.put("Item", name: RecordName("0"), RowEdit(attributes: ["v": .null])) } }
        try fixture.open { store in try store.write { try store.put("Item", name: RecordName("0"), RowEdit(attributes: ["v": before])) } }
        try fixture.open { store in try store.write { try store.put("Item", name: RecordName("0"), RowEdit(attributes: ["v": .null])) } }
        try fixture.migrate(to: item([Attribute("v", to, isOptional: true)]))
        #expect(try values(fixture, "v") == [.null, .null])
        let last = try fixture.open { store in try store.oldValue(table: 0, column: 0, at: store.lastChange()) }
        #expect(last.map { PropertyValue(stored: $0, as: to) } == after)
        try fixture.open { store in try store.write { try store.put("Item", name: RecordName("1"), RowEdit(attributes: ["v": after])) } }
        #expect(try values(fixture, "v") == [.null, after])
    }

    @Test func `an integer that no double holds refuses the step and counts the rows`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([Attribute("v", .int64)]), [["v": .integer(Int64.max)], ["v": .integer(1)]])
        let refusal = #expect(throws: MigrationRefusal.self) { try fixture.migrate(to: item([Attribute("v", .double)])) }
        #expect(refusal?.faults == [.narrowed(entity: "Item", property: "v", from: "int64", to: "double", rows: 1)])
        #expect(try values(fixture, "v") == [.integer(Int64.max), .integer(1)])
    }

    @Test func `an optional attribute that becomes required gets its default where it was empty`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([Attribute("v", .int64, isOptional: true)]), [["v": .integer(3)], ["v": .null]])
        try fixture.migrate(to: item([Attribute("v", .int64, defaultValue: .integer(9))]))
        #expect(try values(fixture, "v") == [.integer(3), .integer(9)])
    }

    @Test func `another default leaves the rows that are there alone`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([name]), [["name": .string("a")]])
        try fixture.migrate(to: item([name, Attribute("v", .int64, defaultValue: .integer(1))]))
        try fixture.migrate(to: item([name, Attribute("v", .int64, defaultValue: .integer(2))]))
        #expect(try values(fixture, "v") == [.integer(1)])
    }

    @Test func `indexes and unique constraints come and go`() throws {
        let fixture = try MigrationFixture()
        let v = Attribute("v", .int64, isOptional: true)
        try fill(fixture, item([name, v]), [["name": .string("a"), "v": .integer(1)], ["name": .string("b")]])
        try fixture.migrate(to: item([name, v], uniqueness: [["name"], ["name", "v"]], indices: [["v"]]))
        #expect(throws: StoreError.self) {
            try fixture.open { store in
                let entity = try #require(store.layout.entities["Item"])
                try store.write { _ = try store.insertRow(entity, name: RecordName("x"), cells: [Cell(column: 0, value: .text("a"))]) }
            }
        }
        try fixture.migrate(to: item([name, v]))
    }

    @Test func `a new unique constraint over values that stand twice lists them and changes nothing`() throws {
        let fixture = try MigrationFixture()
        try fill(fixture, item([name]), ["\u{E9}", "b", "e\u{301}", "c", "b"].map { ["name": .string($0)] })
        let before = try fixture.rows("SELECT * FROM Item")
        let refusal = #expect(throws: MigrationRefusal.self) { try fixture.migrate(to: item([name], uniqueness: [["name"]])) }
        guard case .duplicates(let entity, let properties, let values, let records) = try #require(refusal?.faults.first) else {
            Issue.record("another fault: \(String(describing: refusal))")
            return
        }
        #expect(entity == "Item" && properties == ["name"])
        #expect(Set(records) == Set([0, 2, 1, 4].map { RecordName("\($0)") }))
        #expect(Set(values) == [[.string("\u{E9}")], [.string("e\u{301}")], [.string("b")]])
        #expect(refusal?.description.contains("e\u{301}") == false)
        #expect(try fixture.rows("SELECT * FROM Item") == before)
        try fixture.checkSoundness()
    }

    @Test func `a key is never given twice, though the table was made anew`() throws {
        let fixture = try MigrationFixture()
        let old = item([name, Attribute("gone", .int64, isOptional: true)])
        try fill(fixture, old, [["name": .string("a")], ["name": .string("b")]])
        try fixture.open(old) { store in try store.write { try store.delete(RecordName("1")) } }
        try fixture.migrate(to: item([name]))
        try fixture.open { store in
            try store.write { try store.put("Item", name: RecordName("2"), RowEdit(attributes: ["name": .string("c")])) }
        }
        #expect(try fixture.rows("SELECT _pk FROM Item ORDER BY 1") == [[1], [3]])
    }
}

extension MigrationFixture {
    func rows(_ sql: String) throws -> [[SQLiteValue]] {
        try Connection(path: path, mode: .readWrite).rows(sql) { row in (0..<row.columnCount).map { row.value($0) } }
    }
}
