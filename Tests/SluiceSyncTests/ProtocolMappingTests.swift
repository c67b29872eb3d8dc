import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceSync

/// `Docs/Protocol.md` says what each property becomes; here the same table is made from what the code does.
@Suite struct ProtocolMappingTests {
    private func table() throws -> [String: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/Protocol.md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.split(separator: "## What Sluice puts on the wire").last?.split(separator: "\n## ").first)
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Dictionary(rows.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }, uniquingKeysWith: { first, _ in first })
    }

    private func type(_ value: PropertyValue) -> String { WireValue(value).value?.type ?? "null" }

    @Test func `the table of scalar types is what the code sends`() throws {
        let table = try table()
        let types = [
            type(.string("")), type(.integer(1)), "\(type(.boolean(true))) 0/1", type(.double(1)), "\(type(.date(.distantPast))) (rounded ms)",
            type(.data(Data())),
        ]
        #expect(table["String · Int · Bool · Double · Date · Data"] == types.joined(separator: " · "))
        #expect(WireValue(.boolean(true)).value == .int64(1) && WireValue(.boolean(false)).value == .int64(0))
        let uuid = UUID()
        #expect(table["UUID · URL · Decimal"] == "STRING (UUID upper case)")
        #expect(WireValue(.uuid(uuid)).value == .string(uuid.uuidString))
        #expect(type(.decimal(1)) == "STRING" && type(.string("https://x")) == "STRING")
        #expect(table["codable · transformable"]?.hasPrefix("BYTES") == true)
    }

    @Test(arguments: [
        PropertyValue.double(.nan), .double(.infinity), .double(-.infinity), .date(Date(timeIntervalSinceReferenceDate: 1e300)),
    ])
    func `special numbers travel in the companion that the table names, and come back`(value: PropertyValue) throws {
        let row = try table()["NaN, ±∞, dates beyond ms range"]
        #expect(row == "STRING in a companion field `\(WireValue.companionName(of: "<field>"))`; the field itself is null")
        let wire = WireValue(value)
        #expect(wire.value == nil && wire.companion != nil)
        let type: AttributeType = if case .date = value { .date } else { .double }
        #expect(wire.property(as: type) == value)
    }

    @Test func `relationships become what the table says`() throws {
        let table = try table()
        let schema = try Schema(
            name: "s",
            validating: [
                Entity(
                    "A", relationships: [
                        Relationship("one", to: "B"), Relationship("many", to: "B", isToMany: true, inverse: "back"),
                        Relationship("loose", to: "B", isToMany: true),
                    ]),
                Entity("B", relationships: [Relationship("back", to: "A", isToMany: true, inverse: "many")]),
            ])
        let mapping = RecordMapping(StoredSchema(schema))
        let target = RecordName("T")
        let fields = mapping.fields(of: StoredRow(entity: "A", name: RecordName("a"), references: ["one": target]))
        #expect(table["to-one"] == "REFERENCE, action NONE")
        #expect(fields == ["one": Field(.reference(Reference(recordName: "T", action: .none)))])
        let pair = mapping.fields(of: StoredRow(entity: "A_many", name: RecordName("p"), references: ["source": target, "target": target]))
        #expect(table["many-to-many"]?.contains("`source` and `target`") == true)
        #expect(pair.keys.sorted() == ["source", "target"])
        #expect(mapping.entity(ofType: "A_many")?.isJoin == true)
        #expect(table["to-many without inverse"] == "a field `Owner_relationship` on the child")
        #expect(mapping.layout.entities["B"]?.wireNames.contains("A_loose") == true)
        #expect(table["merge metadata"]?.contains("`\(RecordMapping.metadataField)`") == true)
    }
}
