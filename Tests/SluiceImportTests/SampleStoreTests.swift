import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceImport

/// `Config/legacy/shopping.sql` is the sample that `Deploy/quickstart.sh` imports: a small store in Core Data's layout, as SQL text.
/// With `SLUICE_WRITE_SAMPLES=1` in the environment this suite writes it anew.
@Suite struct SampleStoreTests {
    private static let base = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Config/legacy/shopping.sql").standardizedFileURL

    private func make(_ path: String) throws -> CraftedFile {
        let crafted = try CraftedFile(
            path,
            model: [
                .init(
                    name: "ShoppingItem",
                    properties: [
                        .attribute("id", 1_100, optional: false), .attribute("name", 700, optional: false),
                        .attribute("quantity", 300, optional: false), .attribute("isChecked", 800, optional: false),
                        .attribute("createdAt", 900, optional: false), .toOne("list", "ShoppingList", inverse: "items"),
                    ], unique: [["id"]]),
                .init(
                    name: "ShoppingList",
                    properties: [.attribute("title", 700, optional: false), .toMany("items", "ShoppingItem", inverse: "list")]),
            ], entities: [(1, "ShoppingItem", 0), (2, "ShoppingList", 0)],
            tables: [
                """
                CREATE TABLE ZSHOPPINGITEM (\(Self.base), ZISCHECKED INTEGER, ZLIST INTEGER, ZQUANTITY INTEGER, ZCREATEDAT TIMESTAMP,
                    ZNAME VARCHAR, ZID BLOB)
                """, "CREATE TABLE ZSHOPPINGLIST (\(Self.base), ZTITLE VARCHAR)",
            ], journal: "DELETE", identifier: "5B1D9C42-7A0E-4C55-8F5E-3C2A9E7D1B60")
        for (key, title) in [(1, "Groceries"), (2, "Hardware store")] as [(Int64, SQLiteValue)] {
            try crafted.insert("ZSHOPPINGLIST", ["Z_PK": .integer(key), "Z_ENT": 2, "Z_OPT": 1, "ZTITLE": title])
        }
        let items: [(String, Int64, Int64, Int64)] = [
            ("Milk", 2, 0, 1), ("Crème fraîche", 1, 0, 1), ("Bread", 1, 1, 1), ("Äpfel", 6, 0, 1), ("Screws 4 × 40", 100, 0, 2),
            ("Wood glue", 1, 1, 2),
        ]
        for (index, item) in items.enumerated() {
            let id = Data((0..<16).map { UInt8(truncatingIfNeeded: (index + 1) * 17 + $0 * 31) })
            try crafted.insert(
                "ZSHOPPINGITEM",
                [
                    "Z_PK": .integer(Int64(index + 1)), "Z_ENT": 1, "Z_OPT": 1, "ZNAME": .text(item.0), "ZQUANTITY": .integer(item.1),
                    "ZISCHECKED": .integer(item.2), "ZLIST": .integer(item.3), "ZID": .blob(id),
                    "ZCREATEDAT": .real(790_000_000 + Double(index) * 3_600),
                ])
        }
        return crafted
    }

    private func dump(_ crafted: CraftedFile) throws -> String {
        var lines = [
            "-- A small store in Core Data's layout, for trying Sluice out: sqlite3 shopping.store < shopping.sql",
            "-- Written by SampleStoreTests; Z_MODELCACHE is the model as a compressed keyed archive.", "BEGIN;",
        ]
        let tables = try crafted.connection.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid") { ($0.text(0), $0.text(1)) }
        for (table, sql) in tables {
            lines.append(sql + ";")
            try crafted.connection.forEachRow("SELECT * FROM \(table)") { statement in
                lines.append("INSERT INTO \(table) VALUES(\(statement.values().map(Self.literal).joined(separator: ",")));")
            }
        }
        return (lines + ["COMMIT;", ""]).joined(separator: "\n")
    }

    private static func literal(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): SQLText.literal(text)
        case .blob(let bytes): "X'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
        }
    }

    @Test func `the sample legacy store imports whole, with names in original case`() throws {
        let place = try Workplace()
        if ProcessInfo.processInfo.environment["SLUICE_WRITE_SAMPLES"] == "1" {
            try dump(make(place.source + "/original.store")).write(to: Self.file, atomically: true, encoding: .utf8)
        }
        do {
            let connection = try Connection(path: place.source + "/shopping.store", mode: .create)
            try connection.execute(String(contentsOf: Self.file, encoding: .utf8))
        }
        let file = try place.open("shopping.store")
        #expect(file.schema.entities.map(\.name) == ["ShoppingItem", "ShoppingList"])
        #expect(file.report.rowCount(of: "ShoppingItem") == 6)
        #expect(file.report.rowCount(of: "ShoppingList") == 2)
        #expect(file.report.totals.leftRows == file.report.totals.rows - file.report.totals.importedRows)
        #expect(try file.rows(of: "ShoppingItem").compactMap { $0.values["name"] }.contains(.string("Crème fraîche")))
    }
}
