import Foundation
import SluiceSchema
import Testing

@testable import SluiceConfiguration

@Suite struct MappingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ text: String) throws -> LegacyMapping { try MappingFile.load(folder.write("mapping.yaml", text)) }

    private func faults(_ text: String) throws -> [String] {
        let error = #expect(throws: ConfigurationError.self) { try load(text) }
        return error?.faults.map { "\($0.line):\($0.column): found \($0.found); expected \($0.expected)\($0.suggestion.map { " (\($0))" } ?? "")" } ?? []
    }

    @Test func `the sample says what each key does`() throws {
        let mapping = try load(sample("legacy/mapping.yaml"))
        let item = try #require(mapping.entities["ShoppingItem"])
        #expect(item.name?.text == "Item" && item.identity?.text == "id" && item.omission == nil)
        #expect(item.properties["name"]?.name?.text == "title")
        #expect(item.properties["quantity"]?.name?.text == "count" && item.properties["quantity"]?.type == .double)
        #expect(item.properties["createdAt"]?.omission?.text == "nobody asked for it")
        #expect(mapping.entities["ShoppingList"]?.omission != nil)
        #expect(item.source.line == 7 && item.source.column == 3)
    }

    @Test func `every fault of a mapping is told with line, column and the nearest key`() throws {
        let found = try faults(
                """
                mapping:
                  A:
                    nam: B
                    omit: true
                  B:
                    omit: unused
                    name: C
                    properties:
                      x: y
                  C:
                    properties:
                      p:
                        type: strin
                      q:
                        omit: gone
                        type: string
                      r: [1]
                  C: {}
                """)
        let expected = [
                    "3:5: found unknown key `nam`; expected one of name, omit, identity, properties (name)",
                    "4:11: found `true`; expected the reason why it is left out, as text",
                    "7:11: found `name` beside `omit`; expected one of the two",
                    "9:7: found `properties` beside `omit`; expected one of the two",
                    "13:15: found `strin`; expected one of string, int16, int32, int64, boolean, float, double, decimal, date, data, uuid, url, codable, transformable (string)",
                    "16:15: found `type` beside `omit`; expected one of the two",
                    "17:10: found a list of 1; expected a mapping of name, omit, type",
                    "18:3: found key `C` again (first on line 10); expected each key once",
                ]
        #expect(found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(found == expected) }
        #expect(try faults("maping: {}\n").count == 2)
        #expect(try faults("").count == 1)
        #expect(throws: ConfigurationError.self) { try MappingFile.load("/nonexistent.yaml") }
    }

    @Test func `an account's mapping must lead to names of its newest schema`() throws {
        let schema = try Schema(
            name: "s", validating: [Entity("Item", attributes: [Attribute("title", .string)]), Entity("Other", superentity: "Item")])
        let mapping = try load(
            """
            mapping:
              A:
                name: Itm
              B:
                name: Other
                properties:
                  name: titel
                  text: title
                  gone:
                    omit: unused
              Item: {}
              C:
                omit: unused
            """)
        let faults = MappingFile.faults(of: mapping, into: schema)
        #expect(faults.map { "\($0.line):\($0.column) \($0.found) \($0.suggestion ?? "")" } == ["3:11 entity `Itm` Item", "7:13 property `titel` title"])
        #expect(faults.allSatisfy { $0.file == mapping.file })
    }
}
