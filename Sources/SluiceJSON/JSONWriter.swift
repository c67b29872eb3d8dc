// Appends JSON to a byte buffer. The order of keys is the caller's, so the same value always gives the same bytes:
// frozen operations, digests and the ledger rest on that. Commas are set here; balance is the caller's business.

package import FoundationEssentials

/// A growing JSON text.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.member("zoneName", "Notes")
///     writer.endObject()
package struct JSONWriter {
    private var bytes: [UInt8] = []
    private var needsComma = false
    /// Writes INT64 and DOUBLE field values as text, for clients whose numbers are doubles.
    package var numbersAsStrings = false

    package init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    package var data: Data { Data(bytes) }
    package var count: Int { bytes.count }

    /// Begins anew, with the room that it has.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    // MARK: Structure

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    package mutating func null() { literal("null") }
    package mutating func boolean(_ flag: Bool) { literal(flag ? "true" : "false") }
    package mutating func integer(_ value: Int64) { literal(String(value)) }

    /// The shortest text that reads back as the same Double; it always shows a point or an exponent, so it never reads as an integer.
    package mutating func double(_ value: Double) throws(WireError) {
        guard value.isFinite else { throw WireError(.numberOutOfRange, "JSON has no form for \(value)") }
        literal(value.description)
    }

    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Splices a complete JSON value that somebody has encoded before.
    package mutating func encoded(_ json: Data) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Splices the complete JSON value of another writer.
    package mutating func encoded(_ other: JSONWriter) {
        separate()
        bytes.append(contentsOf: other.bytes)
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Copies runs of ordinary bytes at once and escapes what JSON demands, nothing else.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var run = 0
        for index in text.indices {
            let byte = text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: text[run..<index])
            appendEscape(of: byte)
            run = index + 1
        }
        bytes.append(contentsOf: text[run...])
    }

    private mutating func appendEscape(of byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        default:
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: (digits.utf8.count == 1 ? #"\u000"# : #"\u00"#).utf8)
            bytes.append(contentsOf: digits.utf8)
        }
    }

    // MARK: Members. An absent value writes nothing.

    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    package mutating func member(_ name: String, _ value: Int64?) {
        guard let value else { return }
        key(name)
        integer(value)
    }

    package mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        key(name)
        boolean(value)
    }

    package mutating func member(_ name: String, _ value: Double?) throws(WireError) {
        guard let value else { return }
        key(name)
        try double(value)
    }

    package mutating func member(_ name: String, _ value: (some WireEncodable)?) throws(WireError) {
        guard let value else { return }
        key(name)
        try value.write(to: &self)
    }

    package mutating func member(_ name: String, _ values: [String]?) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    package mutating func member(_ name: String, _ values: [some WireEncodable]?) throws(WireError) {
        guard let values else { return }
        key(name)
        beginArray()
        for value in values { try value.write(to: &self) }
        endArray()
    }
}

/// A value that has a form in the dialect.
package protocol WireEncodable {
    func write(to writer: inout JSONWriter) throws(WireError)
}

/// A value that can be read from the dialect.
package protocol WireDecodable {
    init(json: JSONValue) throws(WireError)
}

extension WireEncodable {
    /// The value as a JSON text; equal values give equal bytes.
    package func encoded(capacity: Int = 256) throws(WireError) -> Data {
        var writer = JSONWriter(capacity: capacity)
        try write(to: &writer)
        return writer.data
    }
}

extension WireDecodable {
    package init(decoding data: Data, limits: JSONLimits = JSONLimits()) throws(WireError) {
        try self.init(json: try JSONValue(parsing: data, limits: limits))
    }
}
