import Foundation
import SluiceSchema
import Testing

@testable import SluiceConfiguration

@Suite struct SchemaFileTests {
    @Test func `the sample says what its comments say`() throws {
        let folder = try TemporaryFolder()
        let schema = try SchemaFile.load(folder.write("shopping/1.0.0.yaml", sample("schemas/shopping/1.0.0.yaml")))
        #expect(schema.name == "shopping")
        #expect(schema.version == SchemaVersion(1, 0, 0))
        let item = try #require(schema.entity(named: "ShoppingItem"))
        #expect(schema.identity(of: item) == ["id"])
        #expect(item.attributes.first { $0.name == "name" }?.wireName == "title")
        #expect(item.attributes.first { $0.name == "price" } == Attribute("price", .decimal, isOptional: true))
        #expect(item.uniqueness == [["name", "list"]])
        #expect(item.indices == [["createdAt"], ["isChecked", "createdAt"]])
        #expect(schema.entity(named: "Entry")?.uniqueness == [["id"]])
        #expect(schema.entity(named: "ShoppingList")?.wireName == "List")
        #expect(schema.entity(named: "RecentSearch")?.isLocalOnly == true)
    }

    @Test func `a schema of every kind survives being written and read`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 793_109_282.0610001)
        let values: [(AttributeType, PropertyValue)] = [
            (.string, .string("a \"b\" \\ \n\t\r\0 é e\u{301} \u{2028} \u{FEFF} 🥛 # : - ")), (.string, .string("")),
            (.string, .string("no")),
            (.int16, .integer(-32768)), (.int64, .integer(.min)), (.boolean, .boolean(true)), (.float, .double(0.5)),
            (.double, .double(-0.0)), (.double, .double(.infinity)), (.double, .double(.leastNonzeroMagnitude)),
            (.decimal, .decimal(Decimal(string: "123456789012345678901234567890.12345678")!)), (.date, .date(date)),
            (.date, .date(Date(timeIntervalSince1970: 1_771_416_482.061))), (.data, .data(Data([0, 255, 7]))), (.data, .data(Data())),
            (.uuid, .uuid(UUID(uuidString: "3F2504E0-4F89-11D3-9A0C-0305E82C3301")!)), (.url, .string("https://a/?b#c")),
            (.codable, .data(Data([1]))), (.transformable, .data(Data([2]))),
        ]
        let odd = Entity(
            "Entity: with, {odd} name", wireName: "- wire", superentity: "Base",
            attributes: values.enumerated().map { index, pair in
                Attribute(
                    "a\(index)", pair.0, isOptional: index.isMultiple(of: 2), defaultValue: pair.1, wireName: index == 3 ? "true" : nil,
                    isExternal: pair.0.isBytes, isPreservedOnDeletion: index == 1, hashModifier: index == 2 ? "~" : nil)
            },
            relationships: [
                Relationship(
                    "others", to: "Base", isToMany: true, isOptional: false, isOrdered: true, inverse: "owner", deleteRule: .deny,
                    minimumCount: 1, maximumCount: 9, wireName: "Others?")
            ],
            uniqueness: [["a0"], ["a1", "a2"]], indices: [["a3", "a4"], ["a5"]])
        let schema = try Schema(
            name: "every-kind", version: SchemaVersion(2, 10, 3),
            validating: [
                odd, Entity("Empty", isAbstract: true, isLocalOnly: true),
                Entity(
                    "Base", attributes: [Attribute("key", .string), Attribute("note", .url, isOptional: true)],
                    relationships: [Relationship("owner", to: odd.name, inverse: "others")], identity: ["key"]),
            ])
        let folder = try TemporaryFolder()
        #expect(try SchemaFile.load(folder.write("x.yaml", SchemaFile.yaml(for: schema))) == schema)
        let empty = try Schema(name: "empty", validating: [])
        #expect(try SchemaFile.load(folder.write("y.yaml", SchemaFile.yaml(for: empty))) == empty)
    }

    @Test func `the written form is short where nothing is special`() throws {
        let schema = try Schema(
            name: "shop",
            validating: [
                Entity(
                    "Item", attributes: [Attribute("id", .uuid), Attribute("note", .string, isOptional: true)],
                    relationships: [Relationship("list", to: "List")], uniqueness: [["id"]], identity: ["id"]),
                Entity("List"),
            ])
        #expect(
            SchemaFile.yaml(for: schema) == """
                schema: shop
                version: 1.0.0
                entities:
                  Item:
                    identity: [id]
                    unique: [id]
                    attributes:
                      id: uuid
                      note: string?
                    relationships:
                      list: {to: List}
                  List: {}

                """)
    }

    @Test func `every fault has its place, those of the schema as a whole too`() throws {
        let folder = try TemporaryFolder()
        let shape = try folder.write(
            "shop/1.0.0.yaml",
            """
            entities:
              Item:
                atributes: {}
                attributes:
                  a: strng
                  b: {type: int16, default: 40000}
                  b: string
                  c: {optional: yes}
                relationships:
                  list: {}
            """)
        let error = #expect(throws: ConfigurationError.self) { try SchemaFile.load(shape) }
        let known = "wireName, extends, abstract, localOnly, identity, unique, index, attributes, relationships"
        let types = "string, int16, int32, int64, boolean, float, double, decimal, date, data, uuid, url, codable, transformable"
        #expect(
            error?.description == """
                \(shape):3:5: found unknown key `atributes`; expected one of \(known). Did you mean `attributes`?
                \(shape):5:10: found `strng`; expected one of \(types). Did you mean `string`?
                \(shape):6:33: found `40000`; expected a whole number that fits int16
                \(shape):7:7: found key `b` again (first on line 6); expected each key once
                \(shape):8:10: found no `type` in `c`; expected `type`: one of \(types)
                \(shape):10:13: found no `to` in `list`; expected `to`: text
                """)
        let whole = try folder.write(
            "shop/2.0.0.yaml", "entities:\n  Item:\n    relationships:\n      list: {to: Nowhere}\n  Other:\n    extends: Other\n")
        let second = #expect(throws: ConfigurationError.self) { try SchemaFile.load(whole) }
        #expect(second?.faults.map(\.line) == [4, 5])
        #expect(second?.description.contains("there is no entity Nowhere") == true)
    }

    @Test func `a folder gives its versions in order, and twins and strangers are refused`() throws {
        let folder = try TemporaryFolder()
        let text = "entities:\n  Item:\n    attributes:\n      id: uuid\n"
        for (name, more) in [("10.0.0", "      b: string?\n      a: string?\n"), ("2.0.0", "      a: string?\n"), ("1.0.0", "")] {
            try folder.write("shop/\(name).yaml", text + more)
        }
        #expect(try SchemaFile.loadVersions(folder.path + "/shop").map(\.schema.version.major) == [1, 2, 10])
        try folder.write("shop/again.yaml", "version: 1.0.0\n" + text)
        try folder.write("shop/other.yaml", "schema: other\nversion: 3.0.0\n" + text)
        let error = #expect(throws: ConfigurationError.self) { try SchemaFile.loadVersions(folder.path + "/shop") }
        #expect(error?.faults.count == 2)
        #expect(throws: ConfigurationError.self) { try SchemaFile.loadVersions(folder.path + "/nothing") }
    }
}
