import Foundation
import Testing

@testable import SluiceSchema

/// The schema that a store keeps is read by hand where that is faster, and by the decoder where it must be: with one result.
@Suite struct CanonicalReadingTests {
    private static func schema(_ defaults: [PropertyValue?]) throws -> Schema {
        let attributes = defaults.enumerated().map { index, value in
            Attribute(
                "a\(index)", AttributeType.allCases.first { value?.fits($0) ?? true } ?? .string, isOptional: true, defaultValue: value,
                wireName: "w\(index)", isExternal: index == 1, isPreservedOnDeletion: index == 2, hashModifier: index == 0 ? "m" : nil)
        }
        return try Schema(
            name: "käse \"1\"", version: SchemaVersion(1, 20, 3),
            validating: [
                Entity("Base", isAbstract: true, attributes: attributes, indices: [["a0"]]),
                Entity("Leaf", wireName: "Old", superentity: "Base", relationships: [
                    Relationship("others", to: "Other", isToMany: true, isOrdered: true, inverse: "leaf", deleteRule: .cascade, minimumCount: 1, maximumCount: 9)
                ]),
                Entity(
                    "Other", attributes: [Attribute("key", .string)],
                    relationships: [Relationship("leaf", to: "Leaf", inverse: "others", wireName: "parent")], uniqueness: [["key"]], identity: ["key"],
                    isLocalOnly: true),
            ])
    }

    @Test func `a schema read by hand is the schema that was written`() throws {
        let schema = try Self.schema([nil, .string("a\nb"), .integer(-7), .boolean(true), .integer(.max)])
        let bytes = try schema.canonicalEncoding()
        #expect(Schema(readingCanonical: bytes) == schema)
        #expect(try JSONDecoder().decode(Schema.self, from: bytes) == schema)
    }

    @Test(arguments: [
        PropertyValue.double(-0.0), .double(.nan), .date(Date(timeIntervalSinceReferenceDate: -1)), .data(Data([0])), .uuid(UUID()), .null,
        .decimal(Decimal(string: "0.1") ?? 0),
    ])
    func `what a number of JSON cannot hold is left to the decoder`(value: PropertyValue) throws {
        let schema = try Self.schema([value])
        let bytes = try schema.canonicalEncoding()
        #expect(Schema(readingCanonical: bytes) == nil)
        #expect(try Schema(canonicalEncoding: bytes) == schema)
    }

    @Test func `a key that is not known is left to the decoder, and what is wrong is refused by it`() throws {
        let text = String(decoding: try Self.schema([nil]).canonicalEncoding(), as: UTF8.self)
        let newer = Data(text.replacing("\"isAbstract\"", with: "\"isNew\":1,\"isAbstract\"").utf8)
        #expect(Schema(readingCanonical: newer) == nil)
        #expect(try Schema(canonicalEncoding: newer) == Self.schema([nil]))
        for (found, wrong) in [("\"isAbstract\":true", "\"isAbstract\":7"), ("\"type\":\"string\"", "\"type\":\"strong\""), ("\"major\":1", "\"major\":-1")] {
            let bytes = Data(text.replacing(found, with: wrong).utf8)
            #expect(Schema(readingCanonical: bytes) == nil && text.contains(found), "\(found)")
        }
        #expect(throws: DecodingError.self) { try Schema(canonicalEncoding: Data("{}".utf8)) }
    }
}
