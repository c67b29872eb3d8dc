// Puts a value together again as Swift's own coding writes it: JSON with sorted keys, as SluiceData stores codable values.
//
// - A member without a value is left out. A member that is bytes and reads as a JSON object or list is one: so Core Data keeps arrays and
//   structs inside a struct. Other bytes are base64.
// - An enumeration has a column for each case: the one with a value is the case. Its own name there means no payload, JSON is the payload
//   by its labels, anything else an unlabelled one.

import Foundation
import SluiceRecords
import SluiceSchema

/// One composite value as JSON.
struct CompositeValue {
    private static let limits = JSONLimits(depth: 64)

    let values: [String: PropertyValue]

    /// Null where no member has a value.
    func value(of composite: LegacyComposite) throws -> PropertyValue {
        var writer = JSONWriter()
        return try write(composite.node, &writer) ? .data(writer.data) : .null
    }

    private func hasValue(_ node: LegacyComposite.Node) -> Bool {
        switch node {
        case .leaf(let attribute, _): values[attribute].map { !$0.isNull } ?? false
        case .members(let members, _): members.contains { hasValue($0.node) }
        }
    }

    /// Returns whether there was anything to write.
    private func write(_ node: LegacyComposite.Node, _ writer: inout JSONWriter) throws -> Bool {
        guard hasValue(node) else { return false }
        switch node {
        case .leaf(let attribute, let type): try write(values[attribute] ?? .null, type, &writer)
        case .members(let members, let isEnumeration):
            writer.beginObject()
            for member in members.sorted(by: { $0.name < $1.name }) where hasValue(member.node) {
                writer.key(member.name)
                if isEnumeration { try writePayload(member, &writer) } else { _ = try write(member.node, &writer) }
            }
            writer.endObject()
        }
        return true
    }

    private func writePayload(_ member: LegacyComposite.Member, _ writer: inout JSONWriter) throws {
        guard case .leaf(let attribute, let type) = member.node, let value = values[attribute] else {
            _ = try write(member.node, &writer)
            return
        }
        if value == .string(member.name) {
            writer.beginObject()
            writer.endObject()
        } else if case .data(let bytes) = value, case .object(let object)? = try? JSONValue(parsing: bytes, limits: Self.limits) {
            try Self.write(.object(object), &writer)
        } else {
            writer.beginObject()
            writer.key("_0")
            try write(value, type, &writer)
            writer.endObject()
        }
    }

    private func write(_ value: PropertyValue, _ type: AttributeType, _ writer: inout JSONWriter) throws {
        switch value {
        case .null: writer.null()
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .boolean(let flag): writer.boolean(flag)
        case .double(let number):
            // A Float's own digits, not those of the Double that it was stored as.
            try Self.write(type == .float ? Double("\(Float(number))") ?? number : number, &writer)
        case .decimal(let number): writer.encoded(Data(number.description.utf8))
        case .date(let date): try Self.write(date.timeIntervalSinceReferenceDate, &writer)
        case .uuid(let uuid): writer.string(uuid.uuidString)
        case .data(let bytes):
            switch try? JSONValue(parsing: bytes, limits: Self.limits) {
            case .object(let object)?: try Self.write(.object(object), &writer)
            case .array(let elements)?: try Self.write(.array(elements), &writer)
            default: writer.string(bytes.base64EncodedString())
            }
        }
    }

    private static func write(_ number: Double, _ writer: inout JSONWriter) throws {
        guard number.isFinite else { return writer.string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf") }
        if let whole = Int64(exactly: number), number.magnitude < 9_007_199_254_740_992, number.sign == .plus || whole != 0 {
            writer.integer(whole)
        } else {
            try writer.double(number)
        }
    }

    private static func write(_ value: JSONValue, _ writer: inout JSONWriter) throws {
        switch value {
        case .null: writer.null()
        case .boolean(let flag): writer.boolean(flag)
        case .integer(let number): writer.integer(number)
        case .double(let number): try write(number, &writer)
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { try write(element, &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for (key, member) in object.members.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                try write(member, &writer)
            }
            writer.endObject()
        }
    }
}
