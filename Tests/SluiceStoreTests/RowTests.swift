import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct RowTests {
    @Test func `every scalar type comes back bit for bit`() throws {
        let attributes = AttributeType.allCases.map { Attribute("a_\($0.rawValue)", $0, isOptional: true) }
        let fixture = try StoreFixture([Entity("Thing", attributes: attributes)])
        let values: [String: PropertyValue] = [
            "a_string": .string("e\u{301}\0😀"), "a_int16": .integer(-32_768), "a_int32": .integer(2_147_483_647), "a_int64": .integer(.min),
            "a_boolean": .boolean(true), "a_float": .double(-0.0), "a_double": .double(.nan), "a_decimal": .decimal(Decimal(string: "0.1")!),
            "a_date": .date(Date(timeIntervalSinceReferenceDate: 793_109_282.061)), "a_data": .data(Data()), "a_uuid": .uuid(UUID()),
            "a_url": .string("https://example.com/ä"), "a_codable": .data(Data([1])), "a_transformable": .data(Data([0, 255])),
        ]
        let name = try fixture.store.write { try fixture.store.put("Thing", RowEdit(attributes: values)).name }
        let row = try #require(try fixture.store.storedRow(named: name))
        #expect(row.attributes == values)
    }

    @Test func `infinities and NaN with a payload survive`() throws {
        let fixture = try StoreFixture([Entity("Thing", attributes: [Attribute("x", .double)])])
        for bits in [Double.infinity.bitPattern, (-Double.infinity).bitPattern, 0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000] {
            let value = PropertyValue.double(Double(bitPattern: bits))
            let name = try fixture.store.write { try fixture.store.put("Thing", RowEdit(attributes: ["x": value])).name }
            #expect(try fixture.store.storedRow(named: name)?.attributes["x"] == value)
        }
    }

    @Test func `an insert that meets a unique value updates the row that has it`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let first = try store.write { try store.put("Item", RowEdit(attributes: ["sku": .string("a"), "price": .double(1)])) }
        let second = try store.write { try store.put("Item", RowEdit(attributes: ["sku": .string("a"), "price": .double(2)])) }
        #expect(first.name == second.name)
        #expect(second.outcome == .updated)
        #expect(try store.count(of: store.concreteEntity("Item")) == 1)
        #expect(try store.storedRow(named: first.name)?.attributes["price"] == .double(2))
    }

    @Test func `unique text compares by canonical equivalence and is stored verbatim`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let name = try store.write { try store.put("Item", RowEdit(attributes: ["sku": .string("caf\u{e9}")])).name }
        let again = try store.write { try store.put("Item", RowEdit(attributes: ["sku": .string("cafe\u{301}")])) }
        #expect(again.name == name)
        #expect(try store.storedRow(named: name)?.attributes["sku"] == .string("cafe\u{301}"))
        #expect(try store.count(of: store.concreteEntity("Item")) == 1)
    }

    @Test func `a natural key makes one name, whatever the form of its text, and several rows may lack a unique value`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let one = try store.write { try store.put("Tag", RowEdit(attributes: ["label": .string("\u{e9}")])).name }
        let two = try store.write { try store.put("Tag", RowEdit(attributes: ["label": .string("e\u{301}")])).name }
        #expect(one == two)
        try store.write { for _ in 0..<2 { try store.put("Item", RowEdit()) } }
        #expect(try store.count(of: store.concreteEntity("Item")) == 2)
    }

    @Test func `one record name in two entities is refused`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        let name = RecordName("A-1")
        try store.write { try store.put("Item", name: name, RowEdit()) }
        #expect(throws: StoreError.self) {
            try store.write { try store.put("List", name: name, RowEdit(attributes: ["title": .string("x")])) }
        }
        #expect(try store.count(of: store.concreteEntity("List")) == 0)
    }

    @Test(arguments: [
        ("Item", RowEdit(attributes: ["count": .integer(1 << 40)])), ("Item", RowEdit(attributes: ["nothing": .null])),
        ("List", RowEdit()), ("List", RowEdit(attributes: ["title": .null])), ("Nobody", RowEdit()),
        ("Item", RowEdit(references: ["list": RecordName("absent")])), ("Item", RowEdit(attributes: ["price": .string("1")])),
    ])
    func `a wrong edit is a typed error and changes nothing`(entity: String, edit: RowEdit) throws {
        let fixture = try StoreFixture(.shop)
        #expect(throws: StoreError.self) { try fixture.store.write { try fixture.store.put(entity, edit) } }
        #expect(try fixture.store.connection.integer("SELECT count(*) FROM _sluice_change") == 0)
    }

    @Test func `a person can insert and read with plain SQL, and defaults apply`() throws {
        let fixture = try StoreFixture(.shop)
        let store = fixture.store
        try store.connection.execute("INSERT INTO Item(_id, sku) VALUES ('typed-by-hand', 'x')")
        let row = try #require(try store.storedRow(named: RecordName("typed-by-hand")))
        #expect(row.attributes["count"] == .integer(1))
        #expect(throws: SQLiteError.self) { try store.connection.execute("UPDATE Item SET _id = 'other'") }
    }
}
