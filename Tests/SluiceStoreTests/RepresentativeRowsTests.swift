import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

@Suite struct RepresentativeRowsTests {
    private func make(_ schema: Schema, rows: Int = 24, seed: UInt64 = 1, _ body: (String, [String: Int]) throws -> Void) throws {
        let fixture = try MigrationFixture()
        var store = FixtureStore(schema, rowCount: rows, seed: seed)
        try body(fixture.path, try store.make(at: fixture.path))
    }

    private var pantry: Schema { get throws { try Schema(name: "pantry", validating: .pantry) } }

    @Test func `every entity has its rows, with the edges of every type`() throws {
        try make(pantry) { path, counts in
            #expect(counts == ["Thing": 24, "Jar": 24, "Tin": 24, "Shelf": 24, "Lamp": 24, "Box": 24])
            let connection = try Connection(path: path, mode: .readWrite)
            #expect(try connection.integrityFaults().isEmpty)
            for column in ["short", "long", "flag", "single", "double", "money", "day", "bytes", "key", "link", "coded", "text"] {
                let name = SQLText.name(column)
                #expect(try connection.integer("SELECT count(*) FROM Box WHERE \(name) IS NULL") > 0, "\(column)")
                #expect(try connection.integer("SELECT count(DISTINCT \(name)) FROM Box") > 1, "\(column)")
            }
            #expect(try connection.integer("SELECT max(short) - min(short) FROM Box") == 65_535)
            #expect(try connection.integer("SELECT count(*) FROM Box WHERE typeof(bytes) = 'text'") > 0)
            #expect(try connection.integer("SELECT count(*) FROM Box WHERE _nfc_text IS NOT NULL") > 0)
        }
    }

    @Test func `relationships of every kind are filled, and what is unique differs`() throws {
        try make(pantry) { path, _ in
            let connection = try Connection(path: path, mode: .readWrite)
            for condition in ["shelf IS NOT NULL", "shelf IS NULL", "box IS NOT NULL"] {
                #expect(try connection.integer("SELECT count(*) FROM Thing WHERE \(condition)") > 0, "\(condition)")
            }
            #expect(try connection.integer("SELECT count(*) FROM Shelf WHERE lamp IS NULL") == 0)
            #expect(try connection.integer("SELECT count(*) FROM Box WHERE line IS NOT NULL AND _position_Shelf_queue IS NOT NULL") > 0)
            #expect(try connection.integer("SELECT count(DISTINCT label) FROM Shelf") == 24)
        }
    }

    @Test func `pairs are filled, whichever end sorts first`() throws {
        try make(Schema(name: "shop", validating: .shop)) { path, counts in
            #expect(counts["Tag"] == 24)
            let connection = try Connection(path: path, mode: .readWrite)
            #expect(try connection.integer("SELECT count(*) FROM Item_tags") > 24)
        }
    }

    @Test func `the same seed gives the same store, and another one other names`() throws {
        func contents(seed: UInt64) throws -> [[SQLiteValue]] {
            var rows: [[SQLiteValue]] = []
            try make(Schema(name: "shop", validating: .shop), seed: seed) { path, _ in
                let connection = try Connection(path: path, mode: .readWrite)
                for table in ["List", "Item", "Tag", "Item_tags", "_sluice_store", "_sluice_transaction"] {
                    rows += try connection.rows("SELECT * FROM \(table)") { $0.values() }
                }
            }
            return rows
        }
        let (first, again, other) = (try contents(seed: 1), try contents(seed: 1), try contents(seed: 2))
        #expect(first == again)
        #expect(first != other)
    }

    @Test func `entities that require each other are named`() throws {
        let schema = try Schema(
            name: "eggs",
            validating: [
                Entity("Hen", relationships: [Relationship("egg", to: "Egg", isOptional: false)]),
                Entity("Egg", relationships: [Relationship("hen", to: "Hen", isOptional: false)]),
            ])
        let error = #expect(throws: FixtureStore.Failure.self) { try make(schema) { _, _ in } }
        #expect(error?.description.hasPrefix("no first row of Egg, Hen can be made") == true)
    }
}
