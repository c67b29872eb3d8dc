import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

@Suite struct LegacyMappingTests {
    private typealias Word = LegacyMapping.Word

    private func mapping(_ entities: [LegacyMapping.Entity]) -> LegacyMapping {
        LegacyMapping(file: "/m.yaml", entities: Dictionary(uniqueKeysWithValues: entities.map { ($0.source.text, $0) }))
    }

    private func entity(
        _ source: String, name: String? = nil, omit: String? = nil, identity: String? = nil, _ properties: [LegacyMapping.Property] = []
    ) -> LegacyMapping.Entity {
        LegacyMapping.Entity(
            Word(source, line: 3, column: 5), name: name.map { Word($0) }, omission: omit.map { Word($0) },
            identity: identity.map { Word($0, line: 4, column: 9) },
            properties: Dictionary(uniqueKeysWithValues: properties.map { ($0.source.text, $0) }))
    }

    private func property(_ source: String, name: String? = nil, omit: String? = nil, type: AttributeType? = nil) -> LegacyMapping.Property {
        LegacyMapping.Property(
            Word(source, line: 7, column: 9), name: name.map { Word($0) }, omission: omit.map { Word($0) }, type: type)
    }

    // MARK: Names

    /// What the records of the library are called without a mapping; the file is closed afterwards.
    private func recordNames(_ place: Workplace) throws -> Set<RecordName> {
        let plain = try place.openAny(CraftedLibrary.name)
        var names: Set<RecordName> = []
        for name in plain.entities { try plain.forEachBatch(of: name) { names.formUnion($0.map(\.recordName)) } }
        return names
    }

    @Test func `entities and properties get their new names everywhere, and record names stay`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let names = try recordNames(place)
        let mapping = mapping([
            entity(
                "Book", name: "Title",
                [property("title", name: "name"), property("shelf", name: "place"), property("tags", name: "labels"), property("sequel", name: "next")]),
            entity("AudioBook", name: "Recording", [property("minutes", name: "length")]), entity("Shelf", name: "Place"),
            entity("Tag", name: "Label", [property("books", name: "titles")]),
        ])
        let result = try place.importing(CraftedLibrary.name, mapping: mapping)
        #expect(result.outcome.insertedRows == result.report.totals.importedRows && result.outcome.brokenReferences == 0)
        #expect(result.outcome.unmappedValues.isEmpty && result.outcome.unmappedRows == 0)
        // Five pairs, and a tag that a shelf pins.
        #expect(result.report.totals.importedLinks == 5 && result.outcome.insertedLinks == 6)
        #expect(result.report.notes.contains(.renamed(original: "Book.title", name: "name")))
        let store = try place.openTarget()
        #expect(store.layout.schema.entity(named: "Recording")?.superentity == "Title")
        #expect(store.layout.schema.entity(named: "Title")?.identity == ["id"])
        let contents = try store.contents()
        #expect(Set(contents.values.filter { store.layout.entities[$0.entity]?.isJoin == false }.map(\.name)) == names)
        let emma = try #require(contents.values.first { $0.attributes["name"] == .string("Emma") })
        #expect(emma.entity == "Title" && emma.references["place"] != nil && emma.references["next"] != nil)
        let recording = try #require(contents.values.first { $0.entity == "Recording" })
        #expect(recording.attributes["length"] == .integer(600) && recording.attributes["_position_Place_books"] == .integer(1_024))
    }

    @Test func `an attribute that the mapping names gives the records their names, also under a new name`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/i.sqlite", model: [.init(name: "Thing", properties: [.attribute("key", 1100), .attribute("text", 700)])],
            entities: [(1, "Thing", 0)],
            tables: ["CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR, ZKEY BLOB)"])
        let key = UUID()
        try crafted.insert("ZTHING", ["Z_PK": 1, "Z_ENT": 1, "ZKEY": .text(key.uuidString), "ZTEXT": "a"])
        _ = try place.importing("i.sqlite", mapping: mapping([entity("Thing", name: "Item", identity: "key", [property("key", name: "id")])]))
        let store = try place.openTarget()
        #expect(store.layout.schema.entity(named: "Item")?.identity == ["id"])
        #expect(try store.contents()["Item \(key.uuidString)"]?.attributes["text"] == .string("a"))
    }

    @Test func `an entity and an attribute that are called otherwise here give records their names by those names`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/r.sqlite", model: [.init(name: "_Thing", properties: [.attribute("_key", 1100), .attribute("text", 700)])],
            entities: [(1, "_Thing", 0)],
            tables: ["CREATE TABLE Z_THING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR, Z_KEY BLOB)"])
        let key = UUID()
        try crafted.insert("Z_THING", ["Z_PK": 1, "Z_ENT": 1, "Z_KEY": .text(key.uuidString), "ZTEXT": "a"])
        _ = try place.importing("r.sqlite", mapping: mapping([entity("Thing", identity: "key")]))
        #expect(try place.openTarget().contents()["Thing \(key.uuidString)"]?.attributes["text"] == .string("a"))
    }

    // MARK: Omissions

    @Test func `an omitted entity goes with its heirs, its relationships and its pairs, each counted with its reason`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let mapping = mapping([entity("Tag", omit: "nobody tags"), entity("AudioBook", omit: "sold")])
        let result = try place.importing(CraftedLibrary.name, mapping: mapping)
        let report = result.report
        #expect(report.omissions.contains(.init(subject: "Tag", reason: "nobody tags", rowCount: 2, valueCount: 0)))
        #expect(report.omissions.contains(.init(subject: "AudioBook", reason: "sold", rowCount: 1, valueCount: 0)))
        // Three tags of books, and one that a shelf pins.
        #expect(report.omissions.first { $0.subject == "Book.tags" }?.valueCount == 3)
        #expect(report.omissions.first { $0.subject == "Shelf.pinned" }?.valueCount == 1)
        #expect(report.notes.contains(.referenceToOmitted(relationship: "Book.sequel", count: 1)))
        #expect(report.notes.contains(.referenceToOmitted(relationship: "Chapter.book", count: 1)))
        let books = try #require(report.tables.first { $0.name == "ZBOOK" })
        #expect(books.rowCount == 3 && books.importedRowCount == 2 && books.omittedRowCount == 1)
        #expect(books.columns.first { $0.name == "ZTITLE" }.map { [$0.valueCount, $0.importedCount] } == [3, 2])
        #expect(books.columns.first { $0.name == "ZMINUTES" }?.fate == .omitted(property: "AudioBook.minutes", reason: "sold"))
        #expect(report.tables.first { $0.name == "Z_1TAGS" }?.omittedRowCount == 3)
        #expect(report.text.contains("Tag: 2 rows (nobody tags)"))
        #expect(result.outcome.insertedRows == report.totals.importedRows)
        let store = try place.openTarget()
        #expect(store.layout.schema.entities.map(\.name) == ["Book", "Chapter", "Person", "Shelf"])
        #expect(!store.layout.schema.entities.contains { $0.relationships.contains { $0.destination == "Tag" } })
    }

    @Test func `an omitted to-one takes its to-many with it, an omitted attribute its constraints, and all is counted`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let mapping = mapping([
            entity("Book", [property("shelf", omit: "moved out"), property("id", omit: "never shown"), property("pages", omit: "wrong")])
        ])
        let result = try place.importing(CraftedLibrary.name, mapping: mapping)
        #expect(result.report.omissions.map(\.subject) == ["Book.id", "Book.pages", "Book.shelf", "Shelf.books"])
        #expect(result.report.omissions.map(\.valueCount) == [3, 1, 3, 0])
        #expect(result.report.notes.contains(.constraintDropped(entity: "Book", properties: ["id"], reason: "id is omitted")))
        let schema = try place.openTarget().layout.schema
        #expect(schema.entity(named: "Book")?.identity == [] && schema.entity(named: "Book")?.uniqueness == [])
        #expect(schema.entity(named: "Shelf")?.relationships.map(\.name) == ["pinned"])
        let position = result.report.tables.first { $0.name == "ZBOOK" }?.columns.first { $0.name == "Z_FOK_SHELF" }
        #expect(position?.fate == .omitted(property: "Book.shelf", reason: "moved out") && position?.importedCount == 0)
    }

    // MARK: Types

    @Test func `values take the new type where they have a form in it, and the others are counted`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/t.sqlite",
            model: [
                .init(
                    name: "T", properties: [.attribute("number", 700, optional: false), .attribute("flag", 800), .attribute("key", 700), .attribute("big", 300)])
            ], entities: [(1, "T", 0)],
            tables: [
                "CREATE TABLE ZT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER, ZBIG INTEGER, ZNUMBER VARCHAR, ZKEY VARCHAR)"
            ])
        let key = UUID()
        try crafted.insert("ZT", ["Z_PK": 1, "Z_ENT": 1, "ZNUMBER": "12", "ZFLAG": 1, "ZKEY": .text(key.uuidString.lowercased()), "ZBIG": 3])
        try crafted.insert("ZT", ["Z_PK": 2, "Z_ENT": 1, "ZNUMBER": "twelve", "ZFLAG": 0, "ZKEY": "none", "ZBIG": .integer(.max)])
        let mapping = mapping([
            entity(
                "T",
                [
                    property("number", type: .int32), property("flag", type: .int64), property("key", type: .uuid),
                    property("big", name: "real", type: .double),
                ])
        ])
        let result = try place.importing("t.sqlite", mapping: mapping)
        let rows = try place.openTarget().contents().values.sorted { ($0.attributes["flag"] == .integer(1) ? 0 : 1) < ($1.attributes["flag"] == .integer(1) ? 0 : 1) }
        #expect(rows[0].attributes == ["number": .integer(12), "flag": .integer(1), "key": .uuid(key), "real": .double(3)])
        #expect(rows[1].attributes == ["number": .null, "flag": .integer(0), "key": .null, "real": .null])
        #expect(result.report.notes.contains(.unconverted(property: "T.number", to: "int32", count: 1)))
        #expect(result.report.notes.contains(.madeOptional(property: "T.number", rowCount: 1)))
        #expect(result.report.notes.contains(.converted(property: "T.real", from: "int64", to: "double")))
        #expect(result.report.losses.count == 3)
        let column = result.report.tables.first { $0.name == "ZT" }?.columns.first { $0.name == "ZNUMBER" }
        #expect(column.map { [$0.valueCount, $0.importedCount] } == [2, 1])
    }

    @Test func `a value of which the new type only has the nearest stays as that, and is counted`() throws {
        let place = try Workplace()
        let crafted = try CraftedFile(
            place.source + "/n.sqlite",
            model: [
                .init(
                    name: "N",
                    properties: [
                        .attribute("cost", 500), .attribute("rate", 600), .attribute("when", 900), .attribute("exact", 400), .attribute("big", 300),
                        .attribute("real", 500), .attribute("text", 700), .attribute("price", 700),
                    ])
            ], entities: [(1, "N", 0)],
            // A column DECIMAL would make the second text a REAL.
            tables: [
                """
                CREATE TABLE ZN (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBIG INTEGER, ZWHEN TIMESTAMP, ZCOST FLOAT, ZRATE FLOAT,
                ZREAL FLOAT, ZEXACT, ZTEXT VARCHAR, ZPRICE VARCHAR)
                """
            ])
        try crafted.insert(
            "ZN",
            [
                "Z_PK": 1, "Z_ENT": 1, "ZCOST": .real(0.1), "ZRATE": .real(Double(Float(0.1))), "ZWHEN": .real(793_109_282.061), "ZEXACT": .text("2.5"),
                "ZBIG": 16_777_216, "ZREAL": .real(0.5), "ZTEXT": "0.1", "ZPRICE": "9.99",
            ])
        try crafted.insert(
            "ZN",
            [
                "Z_PK": 2, "Z_ENT": 1, "ZCOST": .real(1e200), "ZRATE": .real(Double(Float(2.5))), "ZWHEN": .real(573_385_274.217203),
                "ZEXACT": .text("0.1234567890123456789"), "ZBIG": 16_777_217, "ZREAL": .real(0.1), "ZTEXT": "0.1234567890123456789", "ZPRICE": "9.99 EUR",
            ])
        let mapping = mapping([
            entity(
                "N",
                [
                    property("cost", type: .decimal), property("rate", type: .decimal), property("when", type: .string), property("exact", type: .double),
                    property("big", type: .float), property("real", type: .float), property("text", type: .double), property("price", type: .decimal),
                ])
        ])
        let result = try place.importing("n.sqlite", mapping: mapping)
        let rows = Array(try place.openTarget().contents().values)
        let first = try #require(rows.first { $0.attributes["cost"] != .null })
        let second = try #require(rows.first { $0.attributes["cost"] == .null })
        let tenth = try #require(Decimal(string: "0.1"))
        #expect(first.attributes["cost"] == .decimal(tenth) && first.attributes["rate"] == .decimal(tenth) && first.attributes["exact"] == .double(2.5))
        #expect(first.attributes["price"] == .decimal(try #require(Decimal(string: "9.99"))) && first.attributes["text"] == .double(0.1))
        #expect(second.attributes["text"] == .double(0.1234567890123456789) && second.attributes["price"] == .null)
        let notes = result.report.notes
        for (name, type) in [("when", "string"), ("exact", "double"), ("big", "float"), ("real", "float"), ("text", "double")] {
            #expect(notes.contains(.rounded(property: "N.\(name)", to: type, count: 1)), "\(name)")
        }
        for name in ["cost", "price"] { #expect(notes.contains(.unconverted(property: "N.\(name)", to: "decimal", count: 1)), "\(name)") }
        #expect(result.report.losses.count == 7, "\(result.report.losses)")
    }

    // MARK: Faults

    @Test func `words that mean nothing in the store are told with their place and the nearest name, all at once`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let mapping = mapping([
            entity("Bok", name: "X"), entity("Chapter", [property("titel", name: "t"), property("book", type: .string)]),
            entity("AudioBook", [property("title", name: "t")]),
        ])
        let error = #expect(throws: ImportError.self) { try place.openAny(CraftedLibrary.name, mapping: mapping) }
        let lines = error?.description.split(separator: "\n").map(String.init) ?? []
        #expect(
            Set(lines) == [
                "/m.yaml:3:5: found entity `Bok`; expected one of the legacy store. Did you mean `Book`?",
                "/m.yaml:7:9: found property `titel`; expected one of entity Chapter of the legacy store. Did you mean `title`?",
                "/m.yaml:7:9: found a type for a relationship; expected none",
                "/m.yaml:7:9: found property `title`, which AudioBook inherits; expected its rule at Book, which declares it",
            ])
        let heirs = mapping_heirs()
        let second = #expect(throws: ImportError.self) { try place.openAny(CraftedLibrary.name, mapping: heirs) }
        #expect(second?.description.contains("a rule for `AudioBook`, which inherits from Book") == true)
        let twins = self.mapping([entity("Tag", name: "Shelf")])
        guard case .contradictoryMapping("/m.yaml", _)? = #expect(throws: ImportError.self, performing: {
            try place.openAny(CraftedLibrary.name, mapping: twins)
        }) else { return #expect(Bool(false)) }
        #expect(!FileManager.default.fileExists(atPath: place.target))
    }

    private func mapping_heirs() -> LegacyMapping { mapping([entity("Book", omit: "x"), entity("AudioBook", name: "Y")]) }

    @Test func `a mapping holds for exports and for stores of ours too, but names no records there`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let rules = mapping([entity("Book", name: "Title", [property("pages", omit: "wrong")]), entity("AudioBook", omit: "sold")])
        let direct = try place.importing(CraftedLibrary.name, mapping: rules)
        let contents = try place.openTarget().contents()
        let export = try Workplace()
        try place.openAny(CraftedLibrary.name).json(.document).write(to: URL(fileURLWithPath: export.source + "/e.json"))
        let viaJSON = try export.importing("e.json", mapping: rules)
        #expect(viaJSON.outcome == direct.outcome)
        #expect(try export.openTarget().contents() == contents)
        #expect(viaJSON.report.omissions.map(\.valueCount) == direct.report.omissions.map(\.valueCount))
        #expect(viaJSON.report.totals.omittedRows == direct.report.totals.omittedRows)
        let named = mapping([entity("Tag", identity: "label")])
        #expect(throws: ImportError.self) { try export.openAny("e.json", mapping: named) }

        let ours = try Workplace()
        _ = try CraftedLibrary.make(in: ours)
        _ = try ours.importing(CraftedLibrary.name)
        for file in ["Private.store", ".Private_SUPPORT"] {
            try FileManager.default.moveItem(atPath: ours.path + "/" + file, toPath: ours.source + "/" + file)
        }
        let moved = try ours.importing("Private.store", mapping: rules)
        #expect(moved.report.kind == .sluice && moved.report.totals.omittedRows == direct.report.totals.omittedRows)
        #expect(try ours.openTarget().contents() == contents)
    }
}
