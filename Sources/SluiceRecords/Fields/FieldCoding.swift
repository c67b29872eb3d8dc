// The JSON of one field: {"value":…,"type":"STRING","isEncrypted":true}.
//
// Written: `value`, then always `type` (a null has none), then `isEncrypted` where true.
// Read: `type` decides; without it the JSON value does (the dialect's inference): text is STRING, a whole number or a Boolean INT64,
// another number DOUBLE, an object what its keys say, a list what its first element says. A `type` without a value, or a null value,
// is an explicit null.

import FoundationEssentials

/// One field of a record: a value, or an explicit null, which on update clears the field.
package struct Field: Hashable, Sendable {
    package var value: FieldValue?
    package var isEncrypted: Bool

    package init(_ value: FieldValue?, isEncrypted: Bool = false) {
        self.value = value
        self.isEncrypted = isEncrypted
    }
}

extension Field: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.key("value")
        if let value {
            try value.writeValue(to: &writer)
            writer.member("type", value.type)
        } else {
            writer.null()
        }
        if isEncrypted { writer.member("isEncrypted", true) }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let isEncrypted = try object.boolean("isEncrypted") ?? false
        guard let value = object["value"] else {
            self.init(nil, isEncrypted: isEncrypted)
            return
        }
        let type = try object.string("type")
        let decoded = try within("value") { () throws(WireError) in
            if let type { try FieldValue(json: value, type: type) } else { try FieldValue(inferring: value) }
        }
        self.init(decoded, isEncrypted: isEncrypted)
    }
}

extension FieldValue {
    /// The value without its tag.
    func writeValue(to writer: inout JSONWriter) throws(WireError) {
        switch self {
        case .string(let text): writer.string(text)
        case .int64(let value): writer.number(value)
        case .double(let value): try writer.number(value)
        case .timestamp(let value): writer.integer(value)
        case .bytes(let data): writer.string(data.base64EncodedString())
        case .location(let location): try location.write(to: &writer)
        case .reference(let reference): try reference.write(to: &writer)
        case .asset(let asset): try asset.write(to: &writer)
        case .stringList(let list): try writer.list(list) { writer, text throws(WireError) in writer.string(text) }
        case .int64List(let list): try writer.list(list) { writer, value throws(WireError) in writer.number(value) }
        case .doubleList(let list): try writer.list(list) { writer, value throws(WireError) in try writer.number(value) }
        case .timestampList(let list): try writer.list(list) { writer, value throws(WireError) in writer.integer(value) }
        case .bytesList(let list): try writer.list(list) { writer, data throws(WireError) in writer.string(data.base64EncodedString()) }
        case .locationList(let list): try writer.list(list) { writer, value throws(WireError) in try value.write(to: &writer) }
        case .referenceList(let list): try writer.list(list) { writer, value throws(WireError) in try value.write(to: &writer) }
        case .assetList(let list): try writer.list(list) { writer, value throws(WireError) in try value.write(to: &writer) }
        case .emptyList:
            writer.beginArray()
            writer.endArray()
        case .other(_, let json): writer.encoded(json)
        }
    }

    init(json: JSONValue, type: String) throws(WireError) {
        switch type {
        case "STRING": self = .string(try json.asString())
        case "INT64":
            if case .boolean(let flag) = json { self = .int64(flag ? 1 : 0) } else { self = .int64(try json.asInteger()) }
        case "DOUBLE": self = .double(try json.asDouble())
        case "TIMESTAMP": self = .timestamp(try Self.timestamp(json))
        case "BYTES": self = .bytes(try Self.bytes(json))
        case "LOCATION": self = .location(try Location(json: json))
        case "REFERENCE": self = .reference(try Reference(json: json))
        case "ASSETID", "ASSET": self = .asset(try Asset(json: json))
        case "STRING_LIST": self = .stringList(try Self.list(json) { value throws(WireError) in try value.asString() })
        case "INT64_LIST": self = .int64List(try Self.list(json) { value throws(WireError) in try value.asInteger() })
        case "DOUBLE_LIST": self = .doubleList(try Self.list(json) { value throws(WireError) in try value.asDouble() })
        case "TIMESTAMP_LIST": self = .timestampList(try Self.list(json, Self.timestamp))
        case "BYTES_LIST": self = .bytesList(try Self.list(json, Self.bytes))
        case "LOCATION_LIST": self = .locationList(try Self.list(json) { value throws(WireError) in try Location(json: value) })
        case "REFERENCE_LIST": self = .referenceList(try Self.list(json) { value throws(WireError) in try Reference(json: value) })
        case "ASSETID_LIST", "ASSET_LIST": self = .assetList(try Self.list(json) { value throws(WireError) in try Asset(json: value) })
        case "UNKNOWN_LIST" where (try json.asArray()).isEmpty: self = .emptyList
        case "UNKNOWN_LIST": self = try FieldValue(inferring: json)
        default: self = .other(type: type, json: try json.encoded())
        }
    }

    init(inferring json: JSONValue) throws(WireError) {
        switch json {
        case .string(let text): self = .string(text)
        case .integer(let value): self = .int64(value)
        case .boolean(let flag): self = .int64(flag ? 1 : 0)
        case .double(let value): self = .double(value)
        case .object(let object): self = try FieldValue(json: json, type: try Self.type(of: object))
        case .array(let elements):
            guard let first = elements.first else {
                self = .emptyList
                return
            }
            self = try FieldValue(json: json, type: try FieldValue(inferring: first).type + "_LIST")
        case .null: throw WireError(.unexpected, "a list may not hold null")
        }
    }

    private static func type(of object: JSONObject) throws(WireError) -> String {
        if object["latitude"] != nil { return "LOCATION" }
        if object["recordName"] != nil { return "REFERENCE" }
        if object["fileChecksum"] != nil || object["receipt"] != nil { return "ASSETID" }
        throw WireError(.unexpected, "the type of this object cannot be told from its keys; state it in 'type'")
    }

    private static func timestamp(_ json: JSONValue) throws(WireError) -> Int64 {
        do throws(WireError) { return try json.asInteger() } catch {
            throw WireError(.unexpected, "Invalid value, expected type TIMESTAMP: whole milliseconds since 1970")
        }
    }

    private static func bytes(_ json: JSONValue) throws(WireError) -> Data {
        guard let data = Data(base64Encoded: try json.asString()) else { throw WireError(.unexpected, "BYTES are base64 text") }
        return data
    }

    private static func list<Element>(
        _ json: JSONValue, _ body: (JSONValue) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        var result: [Element] = []
        for (index, element) in try json.asArray().enumerated() {
            result.append(try within("[\(index)]") { () throws(WireError) in try body(element) })
        }
        return result
    }
}

extension JSONWriter {
    fileprivate mutating func number(_ value: Int64) {
        if numbersAsStrings { string(String(value)) } else { integer(value) }
    }

    fileprivate mutating func number(_ value: Double) throws(WireError) {
        guard numbersAsStrings, value.isFinite else { return try double(value) }
        string(value.description)
    }

    fileprivate mutating func list<Element>(
        _ elements: [Element], _ body: (inout JSONWriter, Element) throws(WireError) -> Void
    ) throws(WireError) {
        beginArray()
        for element in elements { try body(&self, element) }
        endArray()
    }
}

extension JSONValue: WireEncodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        switch self {
        case .null: writer.null()
        case .boolean(let flag): writer.boolean(flag)
        case .integer(let value): writer.integer(value)
        case .double(let value): try writer.double(value)
        case .string(let text): writer.string(text)
        case .array(let elements): try writer.list(elements) { writer, value throws(WireError) in try value.write(to: &writer) }
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                try member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
