import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

/// Core Data's less common ways to lay a store out: several files of one model, enumerations, files beside the store.
@Suite struct StoreSetTests {
    private static let base = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    private var model: [ModelWriter.Entity] {
        [
            .init(
                name: "Note", properties: [.attribute("id", 1100, optional: false), .attribute("text", 700, optional: false)], unique: [["id"]]),
            .init(
                name: "Setting",
                properties: [
                    .attribute("key", 700, optional: false), .attribute("icon", 1000, flags: 4), .toOne("group", "Group", inverse: "settings"),
                ], unique: [["key"]]),
            .init(name: "Group", properties: [.attribute("title", 700), .toMany("settings", "Setting", inverse: "group")]),
        ]
    }

    @Test func `files that share a model become one store, whose schema is the model's whichever comes first`() throws {
        for order in [["cloud.sqlite", "local.sqlite"], ["local.sqlite", "cloud.sqlite"]] {
            let place = try Workplace()
            let cloud = try CraftedFile(
                place.source + "/cloud.sqlite", model: model, entities: [(1, "Note", 0)],
                tables: ["CREATE TABLE ZNOTE (\(Self.base), ZTEXT VARCHAR, ZID BLOB)"], identifier: "0D4C2F5A-1111-4F0C-9D52-0B7D0F0C9A11")
            let local = try CraftedFile(
                place.source + "/local.sqlite", model: model, entities: [(1, "Group", 0), (2, "Setting", 0)],
                tables: [
                    "CREATE TABLE ZGROUP (\(Self.base), ZTITLE VARCHAR)",
                    "CREATE TABLE ZSETTING (\(Self.base), ZGROUP INTEGER, ZKEY VARCHAR, ZICON BLOB)",
                ], identifier: "0D4C2F5A-2222-4F0C-9D52-0B7D0F0C9A11")
            let key = UUID()
            try cloud.insert("ZNOTE", ["Z_PK": 1, "Z_ENT": 1, "ZTEXT": "a", "ZID": .blob(withUnsafeBytes(of: key.uuid) { Data($0) })])
            try local.insert("ZGROUP", ["Z_PK": 1, "Z_ENT": 1, "ZTITLE": "all"])
            try local.insert("ZSETTING", ["Z_PK": 1, "Z_ENT": 2, "ZGROUP": 1, "ZKEY": "size", "ZICON": .blob(Data([1, 7]))])
            var notes: [ImportNote] = []
            for name in order {
                let result = try place.importing(name)
                notes += result.report.notes
                #expect(result.report.losses.isEmpty && result.outcome.unmappedValues.isEmpty && result.outcome.unmappedRows == 0)
                #expect(result.outcome.insertedRows == (name == "cloud.sqlite" ? 1 : 2))
            }
            #expect(notes.contains(.elsewhere(entity: "Note")) && notes.contains(.elsewhere(entity: "Setting")))
            let store = try place.openTarget()
            #expect(store.layout.schema.entity(named: "Setting")?.attributes.first { $0.name == "key" }?.isOptional == false)
            #expect(store.layout.schema.entity(named: "Setting")?.attributes.first { $0.name == "icon" }?.isExternal == true)
            #expect(store.layout.schema.entity(named: "Note")?.uniqueness == [["id"]])
            let contents = try store.contents()
            #expect(contents.count == 3 && contents["Note \(key.uuidString)"]?.attributes["text"] == .string("a"))
            let setting = try #require(contents.values.first { $0.entity == "Setting" })
            #expect(setting.references["group"] != nil && setting.attributes["icon"] == .data(Data([7])))
        }
    }

    @Test func `an enumeration with payloads keeps a value for each case, and the report says what it was`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let result = try place.importing(CraftedLibrary.name)
        #expect(
            result.report.notes.contains(
                .enumeration(property: "Book.state", type: "Library.Book.State", cases: ["state_lent", "state_shelved"])))
        #expect(
            result.report.notes.contains(
                .compositeFlattened(property: "Book.size", members: ["size_width", "size_height", "size_binding_kind", "size_binding_year"])))
        let books = try place.openTarget().contents().values.filter { $0.attributes["title"] != nil && $0.attributes["price"] != nil }
        let emma = try #require(books.first { $0.attributes["title"] == .string("Emma") })
        #expect(emma.attributes["state_shelved"] == .string("shelved") && emma.attributes["state_lent"] == .null)
        #expect(emma.attributes["size_width"] == .double(12.5) && emma.attributes["size_binding_year"] == .integer(1_815))
        #expect(emma.attributes["cover"] == .data(CraftedLibrary.cover) && emma.attributes["price"] == .decimal(Decimal(string: "12.3") ?? 0))
        let lent = try #require(books.first { $0.attributes["title"] == .string("Émile") })
        #expect(lent.attributes["state_lent"] == .data(Data(#"{"to":"Ben","days":3}"#.utf8)) && lent.attributes["cover"] == .data(Data([9, 8, 7])))
    }

    private func text(_ value: PropertyValue?) -> String? {
        guard case .data(let bytes)? = value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private struct Size: Codable, Equatable {
        struct Binding: Codable, Equatable {
            var kind: String
            var year: Int
        }

        var width: Double
        var height: Double
        var binding: Binding?
    }

    private enum State: Codable, Equatable {
        case lent(to: String, days: Int)
        case shelved
    }

    @Test func `a struct or an enumeration that the account's schema has as one codable value is put together as Swift codes it`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let plain = try place.openAny(CraftedLibrary.name).schema
        var entities = plain.entities
        let index = try #require(entities.firstIndex { $0.name == "Book" })
        entities[index].attributes.removeAll { $0.name.hasPrefix("size_") || $0.name.hasPrefix("state_") }
        entities[index].attributes += [Attribute("size", .codable, isOptional: true), Attribute("state", .codable, isOptional: true)]
        let schema = try Schema(name: "mine", version: plain.version, validating: entities)
        let result = try place.importing(CraftedLibrary.name, schema: schema)
        #expect(result.outcome.unmappedValues.isEmpty && result.report.losses.isEmpty)
        #expect(result.report.notes.contains(.assembled(property: "Book.state", members: ["state_lent", "state_shelved"])))
        #expect(result.report.tables.first { $0.name == "ZBOOK" }?.columns.first { $0.name == "ZYEAR" }?.fate == .attribute(property: "Book.size"))
        let books = try place.openTarget().contents().values
        let emma = try #require(books.first { $0.attributes["title"] == .string("Emma") })
        #expect(text(emma.attributes["size"]) == #"{"binding":{"kind":"cloth","year":1815},"height":18,"width":12.5}"#)
        #expect(text(emma.attributes["state"]) == #"{"shelved":{}}"#)
        let lent = try #require(books.first { $0.attributes["title"] == .string("Émile") })
        #expect(lent.attributes["size"] == .null)
        #expect(text(lent.attributes["state"]) == #"{"lent":{"days":3,"to":"Ben"}}"#)
        let decoder = JSONDecoder()
        let size = try decoder.decode(Size.self, from: Data(#require(text(emma.attributes["size"])).utf8))
        #expect(size == Size(width: 12.5, height: 18, binding: .init(kind: "cloth", year: 1_815)))
        #expect(try decoder.decode(State.self, from: Data(#require(text(lent.attributes["state"])).utf8)) == .lent(to: "Ben", days: 3))
        #expect(try decoder.decode(State.self, from: Data(#require(text(emma.attributes["state"])).utf8)) == .shelved)
    }

    @Test func `a mapping puts a composite together too, under another name, or omits it as one`() throws {
        let place = try Workplace()
        _ = try CraftedLibrary.make(in: place)
        let mapping = LegacyMapping(
            file: "/m",
            entities: [
                "Book": .init(
                    .init("Book"),
                    properties: [
                        "size": .init(.init("size"), name: .init("dimensions"), type: .codable),
                        "state": .init(.init("state"), omission: .init("tracked elsewhere")),
                    ])
            ])
        let result = try place.importing(CraftedLibrary.name, mapping: mapping)
        #expect(result.report.omissions == [.init(subject: "Book.state", reason: "tracked elsewhere", rowCount: 0, valueCount: 2)])
        let names = Set(try #require(place.openTarget().layout.schema.entity(named: "Book")).attributes.map(\.name))
        #expect(names.contains("dimensions") && !names.contains { $0.hasPrefix("size") || $0.hasPrefix("state") })
        let emma = try place.openTarget().contents().values.first { $0.attributes["title"] == .string("Emma") }
        #expect(text(emma?.attributes["dimensions"])?.contains("\"width\":12.5") == true)
    }

    @Test func `members of every type are coded as Swift codes them`() throws {
        struct Everything: Codable, Equatable {
            var flag: Bool
            var small: Int16
            var single: Float
            var when: Date
            var key: UUID
            var bytes: Data
            var list: [Int]
            var price: Decimal
        }
        let expected = Everything(
            flag: true, small: -3, single: 0.1, when: Date(timeIntervalSinceReferenceDate: 700_000_000.25), key: UUID(),
            bytes: Data([0, 255, 3]), list: [3, 1, 2], price: Decimal(string: "12.35") ?? 0)
        let types: [(String, AttributeType, PropertyValue)] = [
            ("flag", .boolean, .boolean(true)), ("small", .int16, .integer(-3)), ("single", .float, .double(Double(Float(0.1)))),
            ("when", .date, .date(expected.when)), ("key", .uuid, .uuid(expected.key)), ("bytes", .data, .data(expected.bytes)),
            ("list", .data, .data(Data("[3, 1, 2]".utf8))), ("price", .decimal, .decimal(expected.price)),
        ]
        let composite = LegacyComposite(
            entity: "E", name: "all", isOptional: false,
            node: .members(types.map { .init(name: $0.0, node: .leaf(attribute: $0.0, type: $0.1)) }, isEnumeration: false))
        let value = try CompositeValue(values: Dictionary(uniqueKeysWithValues: types.map { ($0.0, $0.2) })).value(of: composite)
        guard case .data(let bytes) = value else { return #expect(Bool(false)) }
        #expect(try JSONDecoder().decode(Everything.self, from: bytes) == expected)
        #expect(try CompositeValue(values: [:]).value(of: composite) == .null)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try encoder.encode(expected) == bytes)
    }

    @Test func `external files that are missing, foreign or of no row are told, and none leads out of the folder`() throws {
        let place = try Workplace()
        let crafted = try CraftedLibrary.make(in: place)
        let folder = place.source + "/.Library_SUPPORT/_EXTERNAL_DATA"
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/" + UUID().uuidString))
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/.DS_Store"))
        let secret = place.path + "/secret"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: secret))
        let linked = UUID().uuidString
        try FileManager.default.createSymbolicLink(atPath: folder + "/" + linked, withDestinationPath: secret)
        let odd = Data([2]) + Data("../../../secret".utf8)
        try crafted.insert("ZBOOK", ["Z_PK": 20, "Z_ENT": 1, "ZTITLE": "link", "ZCOVER": .blob(Data([2]) + Data(linked.utf8))])
        try crafted.insert("ZBOOK", ["Z_PK": 21, "Z_ENT": 1, "ZTITLE": "path", "ZCOVER": .blob(odd)])
        try crafted.insert("ZBOOK", ["Z_PK": 22, "Z_ENT": 1, "ZTITLE": "gone", "ZCOVER": .blob(Data([2]) + Data(UUID().uuidString.utf8))])
        try crafted.insert("ZBOOK", ["Z_PK": 23, "Z_ENT": 1, "ZTITLE": "bare", "ZCOVER": .blob(Data([9, 9]))])
        let result = try place.importing(CraftedLibrary.name)
        #expect(result.report.notes.contains(.missingExternalFile(property: "Book.cover", count: 2, rows: [20, 22])))
        guard case .unreferencedExternalFiles(let count, let names)? = result.report.notes.first(where: {
            if case .unreferencedExternalFiles = $0 { true } else { false }
        }) else { return #expect(Bool(false)) }
        #expect(count == 2 && names.contains(".DS_Store"))
        let books = try place.openTarget().contents().values
        func cover(_ title: String) -> PropertyValue? { books.first { $0.attributes["title"] == .string(title) }?.attributes["cover"] }
        #expect(cover("link") == .null && cover("gone") == .null)
        // No reference of Core Data's: the bytes themselves are the value.
        #expect(cover("path") == .data(odd) && cover("bare") == .data(Data([9, 9])))
        #expect(result.report.losses.contains { $0.hasPrefix("Book.cover: 2 external files are missing") })
    }
}
