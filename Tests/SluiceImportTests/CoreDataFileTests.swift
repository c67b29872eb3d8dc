import CPlist
import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceImport

@Suite struct CoreDataFileTests {
    // MARK: Values

    private static let valueTypes: [(String, Int, String)] = [
        ("text", 700, "VARCHAR"), ("link", 1200, "VARCHAR"), ("small", 100, "INTEGER"), ("middle", 200, "INTEGER"),
        ("large", 300, "INTEGER"),
        ("flag", 800, "INTEGER"), ("real", 500, "FLOAT"), ("single", 600, "FLOAT"), ("price", 400, "DECIMAL"), ("when", 900, "TIMESTAMP"),
        ("bytes", 1000, "BLOB"), ("key", 1100, "BLOB"), ("shape", 1800, "BLOB"), ("other", 2000, "VARCHAR"), ("future", 4711, "BLOB"),
    ]

    private func valueFile(_ place: Workplace) throws -> CraftedFile {
        let columns = Self.valueTypes.map { "Z\($0.0.uppercased()) \($0.2)" }.joined(separator: ", ")
        return try CraftedFile(
            place.source + "/v.sqlite",
            model: [.init(name: "Thing", properties: Self.valueTypes.map { .attribute($0.0, $0.1) })], entities: [(1, "Thing", 0)],
            tables: ["CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(columns))"])
    }

    @Test func `values of every type come back as they were, and a schema of the model's types holds them`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        let key = UUID()
        try crafted.insert(
            "ZTHING",
            [
                "Z_PK": 1, "Z_ENT": 1, "Z_OPT": 1, "ZTEXT": .text("e\u{301}\0x"), "ZLINK": "https://example.org/a%20b", "ZSMALL": -32_768,
                "ZMIDDLE": 2_147_483_647, "ZLARGE": .integer(.min), "ZFLAG": 1, "ZREAL": .real(-.infinity), "ZSINGLE": .real(0.1),
                "ZPRICE": .text("-1234.05"), "ZWHEN": .real(793_109_282.061), "ZBYTES": .blob(Data([1, 2, 3])),
                "ZKEY": .blob(withUnsafeBytes(of: key.uuid) { Data($0) }), "ZSHAPE": .blob(Data("archive".utf8)),
                "ZOTHER": "x-coredata://S/E/p1", "ZFUTURE": .blob(Data([9])),
            ])
        let file = try place.open("v.sqlite")
        let row = try #require(file.rows(of: "Thing").first)
        #expect(
            row.values == [
                "text": .string("e\u{301}\0x"), "link": .string("https://example.org/a%20b"), "small": .integer(-32_768),
                "middle": .integer(2_147_483_647), "large": .integer(.min), "flag": .boolean(true), "real": .double(-.infinity),
                "single": .double(0.1), "price": .decimal(Decimal(string: "-1234.05") ?? 0),
                "when": .date(Date(timeIntervalSinceReferenceDate: 793_109_282.061)), "bytes": .data(Data([1, 2, 3])), "key": .uuid(key),
                "shape": .data(Data("archive".utf8)), "other": .string("x-coredata://S/E/p1"), "future": .data(Data([9])),
            ])
        let entity = try #require(file.schema.entity(named: "Thing"))
        for attribute in entity.attributes { #expect(row.values[attribute.name]?.fits(attribute.type) == true, "\(attribute.name)") }
        #expect(file.schema.version == SchemaVersion(2, 1, 0))
        #expect(file.report.notes.contains(.transformable(property: "Thing.shape", transformer: "", valueCount: 1)))
        #expect(file.report.notes.contains(.objectIdentifier(property: "Thing.other")))
        #expect(file.report.notes.contains(.unknownType(property: "Thing.future", code: 4711, readAs: "data")))
    }

    @Test func `field report 22: a UUID kept as text in either case is the same value as its 16 bytes`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        let key = UUID()
        for (row, stored) in [.blob(withUnsafeBytes(of: key.uuid) { Data($0) }), .text(key.uuidString), .text(key.uuidString.lowercased())]
            .enumerated() as EnumeratedSequence<[SQLiteValue]>
        {
            try crafted.insert("ZTHING", ["Z_PK": SQLiteValue(row + 1), "Z_ENT": 1, "ZKEY": stored])
        }
        let rows = try place.open("v.sqlite").rows(of: "Thing")
        #expect(rows.map { $0.values["key"] } == [.uuid(key), .uuid(key), .uuid(key)])
    }

    @Test func `a value of another kind reads as nil and is counted with its row`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        try crafted.insert("ZTHING", ["Z_PK": 7, "Z_ENT": 1, "ZKEY": .blob(Data([1, 2])), "ZFLAG": 3, "ZWHEN": "soon", "ZPRICE": "12 €"])
        let file = try place.open("v.sqlite")
        let row = try #require(file.rows(of: "Thing").first)
        #expect(
            row.values["key"] == .null && row.values["when"] == .null && row.values["price"] == .null
                && row.values["flag"] == .boolean(true))
        for property in ["key", "when", "price"] {
            #expect(file.report.notes.contains(.unreadableValue(property: "Thing.\(property)", count: 1, rows: [7])))
        }
        #expect(file.report.notes.contains(.oddBoolean(property: "Thing.flag", count: 1, rows: [7])))
    }

    @Test func `what the model promises and rows break is loosened, and no row is lost`() throws {
        let place = try Workplace()
        var narrow = ModelWriter.Property.attribute("count", 100, optional: false)
        narrow.defaultValue = { plist_new_uint(3) }
        let crafted = try CraftedFile(
            place.source + "/v.sqlite",
            model: [
                .init(
                    name: "Item", isAbstract: true,
                    properties: [narrow, .attribute("name", 700, optional: false), .attribute("code", 700)],
                    unique: [["name"], ["code"]])
            ], entities: [(1, "Item", 0)],
            tables: [
                "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER, ZNAME VARCHAR, ZCODE VARCHAR)"
            ])
        // "é" in two spellings is one name to Swift and two to SQLite.
        try crafted.insert("ZITEM", ["Z_PK": 1, "Z_ENT": 1, "ZCOUNT": 70_000, "ZNAME": "\u{E9}", "ZCODE": "a"])
        try crafted.insert("ZITEM", ["Z_PK": 2, "Z_ENT": 1, "ZCOUNT": 1, "ZNAME": "e\u{301}", "ZCODE": .null])
        try crafted.insert("ZITEM", ["Z_PK": 3, "Z_ENT": 1, "ZCOUNT": 1, "ZNAME": .null, "ZCODE": .null])
        let file = try place.open("v.sqlite")
        #expect(try file.rows(of: "Item").count == 3)
        let item = try #require(file.schema.entity(named: "Item"))
        #expect(!item.isAbstract)
        #expect(item.attributes.first { $0.name == "count" }?.type == .int64)
        #expect(item.attributes.first { $0.name == "count" }?.defaultValue == .integer(3))
        #expect(item.attributes.first { $0.name == "name" }?.isOptional == true)
        #expect(item.uniqueness == [["code"]])
        #expect(file.report.notes.contains(.widened(property: "Item.count", rowCount: 1)))
        #expect(file.report.notes.contains(.madeOptional(property: "Item.name", rowCount: 1)))
        #expect(file.report.notes.contains(.madeConcrete(entity: "Item", rowCount: 3)))
    }

    @Test func `external values are read from their files, inline ones without their mark, a missing file is counted`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/Photos.sqlite", model: [.init(name: "Photo", properties: [.attribute("image", 1000, flags: 4)])],
            entities: [(1, "Photo", 0)],
            tables: ["CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZIMAGE BLOB)"])
        let folder = place.source + "/.Photos_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (there, gone) = (UUID().uuidString, UUID().uuidString)
        let large = Data(repeating: 7, count: 300_000)
        try large.write(to: URL(fileURLWithPath: folder + "/" + there))
        try crafted.insert("ZPHOTO", ["Z_PK": 1, "Z_ENT": 1, "ZIMAGE": .blob(Data([1, 5, 6]))])
        try crafted.insert("ZPHOTO", ["Z_PK": 2, "Z_ENT": 1, "ZIMAGE": .blob(Data([2]) + Data(there.utf8) + [0])])
        try crafted.insert("ZPHOTO", ["Z_PK": 3, "Z_ENT": 1, "ZIMAGE": .blob(Data([2]) + Data(gone.utf8))])
        let file = try place.open("Photos.sqlite")
        #expect(try file.rows(of: "Photo").map { $0.values["image"] } == [.data(Data([5, 6])), .data(large), .null])
        #expect(file.report.notes.contains(.missingExternalFile(property: "Photo.image", count: 1, rows: [3])))
        #expect(file.schema.entity(named: "Photo")?.attributes.first?.isExternal == true)
    }

    // MARK: Names

    @Test func `names our schema refuses are changed the same way every time, and composites become one attribute per member`() throws {
        let place = try Workplace()
        var address = ModelWriter.Property.attribute("address", 2100)
        address.elements = [.attribute("street", 700), .attribute("zip", 700)]
        let crafted = try CraftedFile(
            place.source + "/n.sqlite",
            model: [
                .init(
                    name: "_Person",
                    properties: [address, .attribute("Name", 700), .attribute("_name", 700), .attribute("ID1", 300), .attribute("id", 300)])
            ],
            entities: [(1, "_Person", 0)],
            tables: [
                """
                CREATE TABLE Z_PERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID INTEGER, ZID1 INTEGER, ZNAME VARCHAR,
                    ZSTREET VARCHAR, ZZIP VARCHAR, Z_NAME VARCHAR, ZLOST VARCHAR)
                """
            ])
        try crafted.insert(
            "Z_PERSON",
            [
                "Z_PK": 1, "Z_ENT": 1, "ZID": 1, "ZID1": 2, "ZNAME": "n", "ZSTREET": "s", "ZZIP": "z", "Z_NAME": "u", "ZLOST": "?",
            ])
        let file = try place.open("n.sqlite")
        let row = try #require(file.rows(of: "Person").first)
        #expect(
            row.values == [
                "Name": .string("n"), "name2": .string("u"), "id": .integer(1), "ID1": .integer(2), "address_street": .string("s"),
                "address_zip": .string("z"),
            ])
        #expect(file.report.notes.contains(.renamed(original: "_Person", name: "Person")))
        #expect(file.report.notes.contains(.renamed(original: "_Person._name", name: "name2")))
        let column = file.report.tables.first { $0.name == "Z_PERSON" }?.columns.first { $0.name == "ZLOST" }
        #expect(column?.fate == .left(reason: "no property of the model lies here") && column?.valueCount == 1)
    }

    @Test func `a required unique UUID names the records, and rows without one are named by file, number and content`() throws {
        let place = try Workplace()
        let table = "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID BLOB)"
        let crafted = try CraftedFile(
            place.source + "/i.sqlite",
            model: [
                .init(name: "A", properties: [.attribute("id", 1100, optional: false)], unique: [["id"]]),
                .init(name: "B", properties: [.attribute("id", 1100, optional: false)], unique: [["id"]]),
                .init(name: "C", properties: [.attribute("id", 1100)]),
            ], entities: [(1, "A", 0), (2, "B", 0), (3, "C", 0)], tables: ["A", "B", "C"].map { "CREATE TABLE Z\($0) \(table)" })
        let key = UUID()
        let stored = SQLiteValue.blob(withUnsafeBytes(of: key.uuid) { Data($0) })
        for (number, name) in ["ZA", "ZB", "ZC"].enumerated() {
            try crafted.insert(name, ["Z_PK": 1, "Z_ENT": SQLiteValue(number + 1), "ZID": stored])
        }
        let file = try place.open("i.sqlite")
        #expect(try file.rows(of: "A").map(\.recordName) == [.uuid(key)])
        #expect(file.schema.entity(named: "A")?.identity == ["id"])
        // B holds the same UUID: one name in two entities would be refused, so B's rows are named otherwise.
        #expect(try file.rows(of: "B").first?.recordName != .uuid(key))
        #expect(file.schema.entity(named: "B")?.identity == [])
        let reason = IdentityRefusal.sharedWithOtherEntity.rawValue
        #expect(file.report.notes.contains(.identityRefused(entity: "B", attribute: "id", reason: reason)))
        #expect(try file.rows(of: "C").first?.recordName != .uuid(key))
    }

    @Test func `the mapping may name a UUID the model does not, and is told why when it cannot be`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        let key = UUID()
        try crafted.insert("ZTHING", ["Z_PK": 1, "Z_ENT": 1, "ZKEY": .text(key.uuidString)])
        let file = try place.open("v.sqlite", identities: ["Thing": "key"])
        #expect(try file.rows(of: "Thing").map(\.recordName) == [.uuid(key)])
        for (mapping, reason) in [
            (["Thing": "text"], IdentityRefusal.notUUID), (["Thing": "nothing"], .noSuchAttribute), (["Nobody": "key"], .noSuchEntity),
        ] {
            let error = #expect(throws: ImportError.self) { try place.open("v.sqlite", identities: mapping) }
            guard case .unusableIdentity(_, _, let found)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(found == reason)
        }
    }

    @Test func `an edited row gets another derived name, an untouched one keeps its own`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        try crafted.insert("ZTHING", ["Z_PK": 1, "Z_ENT": 1, "ZTEXT": "a"])
        try crafted.insert("ZTHING", ["Z_PK": 2, "Z_ENT": 1, "ZTEXT": "a"])
        let before = try place.open("v.sqlite").rows(of: "Thing").map(\.recordName)
        try crafted.connection.execute("UPDATE ZTHING SET ZTEXT = 'b' WHERE Z_PK = 2")
        let after = try place.open("v.sqlite").rows(of: "Thing").map(\.recordName)
        #expect(before[0] != before[1])
        #expect(after[0] == before[0] && after[1] != before[1])
    }

    // MARK: Batches

    @Test func `batches keep their bounds in rows and bytes and their order`() throws {
        let place = try Workplace()
        let crafted = try valueFile(place)
        for row in 1...25 {
            try crafted.insert("ZTHING", ["Z_PK": SQLiteValue(row), "Z_ENT": 1, "ZBYTES": .blob(Data(count: row == 13 ? 90_000 : 10))])
        }
        var options = CoreDataFile.Options(schemaName: "x")
        options.batchRowCount = 10
        options.batchByteCount = 50_000
        let file = try CoreDataFile(place.stage("v.sqlite"), options: options)
        var batches: [[Int64]] = []
        try file.forEachBatch(of: "Thing") { batches.append($0.map(\.primaryKey)) }
        #expect(batches.flatMap { $0 } == Array(1...25))
        #expect(batches.allSatisfy { $0.count <= 10 })
        #expect(batches.contains([13]) || batches.contains { $0.first == 13 })
    }
}
