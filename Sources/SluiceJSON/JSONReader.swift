// Parses one JSON text (RFC 8259) into a JSONValue, strictly: a peer's bytes either mean one thing or are refused.
//
// 1. A key that stands twice in one object is an error; parsers that differ on which one counts are a way to smuggle values.
// 2. Nesting has a bound, so that the recursion below cannot exhaust the stack; the length of a number has one too.
// 3. Integer literals within Int64 are exact, other numbers are the nearest Double, and one that overflows to ∞ is refused.
// 4. Strings keep every scalar. Invalid UTF-8 and halves of surrogate pairs are refused, not replaced.

package import FoundationEssentials

/// How much structure a text may have. Its length is bounded where it is received.
package struct JSONLimits: Sendable {
    /// The deepest request of the dialect, a list of references inside a record's field, needs eleven levels.
    package var depth = 32
    package init(depth: Int = 32) { self.depth = depth }
}

extension JSONValue {
    package init(parsing data: Data, limits: JSONLimits = JSONLimits()) throws(WireError) {
        let result: Result<JSONValue, WireError> = data.withUnsafeBytes { bytes in
            do throws(WireError) {
                var reader = JSONReader(bytes: bytes.bindMemory(to: UInt8.self), depthLeft: limits.depth)
                return .success(try reader.document())
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }
}

/// The parser: a position in a buffer that outlives it.
private struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depthLeft: Int

    /// A decimal Double written out in full has at most 309 digits before and 1074 behind the point; nobody writes more.
    private static let numberLengthMax = 1_400
    /// Above this many members duplicates are found by hashing instead of comparing all pairs.
    private static let pairwiseMemberCountMax = 16

    init(bytes: UnsafeBufferPointer<UInt8>, depthLeft: Int) {
        self.bytes = bytes
        self.depthLeft = depthLeft
    }

    mutating func document() throws(WireError) -> JSONValue {
        skipSpace()
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw malformed("nothing was expected after the value") }
        return value
    }

    // MARK: Values

    private mutating func value() throws(WireError) -> JSONValue {
        guard let first = peek() else { throw malformed("a value was expected") }
        switch first {
        case UInt8(ascii: "{"): return try nested { reader throws(WireError) in .object(try reader.object()) }
        case UInt8(ascii: "["): return try nested { reader throws(WireError) in .array(try reader.array()) }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .boolean(true))
        case UInt8(ascii: "f"): return try literal("false", .boolean(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw malformed("a value was expected")
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(WireError) -> JSONValue
    ) throws(WireError) -> JSONValue {
        guard depthLeft > 0 else { throw WireError(.tooDeep, "nested too deeply at byte \(position)") }
        depthLeft -= 1
        position += 1
        let value = try body(&self)
        depthLeft += 1
        return value
    }

    private mutating func object() throws(WireError) -> JSONObject {
        var members: [(key: String, value: JSONValue)] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject(members: members) }
        while true {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw malformed("a key was expected") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw malformed("a colon was expected") }
            skipSpace()
            members.append((key, try value()))
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { throw malformed("a comma or the end of the object was expected") }
            if let key = Self.duplicate(in: members) { throw WireError(.duplicateKey, "the key '\(key)' stands twice in one object") }
            return JSONObject(members: members)
        }
    }

    private static func duplicate(in members: [(key: String, value: JSONValue)]) -> String? {
        if members.count > pairwiseMemberCountMax {
            var seen: Set<String> = []
            return members.first { !seen.insert($0.key).inserted }?.key
        }
        for right in members.indices.dropFirst() {
            for left in 0..<right where members[left].key == members[right].key { return members[right].key }
        }
        return nil
    }

    private mutating func array() throws(WireError) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            skipSpace()
            elements.append(try value())
            skipSpace()
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "]")) else { throw malformed("a comma or the end of the array was expected") }
            return elements
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(WireError) -> JSONValue {
        for offset in 0..<text.utf8CodeUnitCount {
            guard take(text.utf8Start[offset]) else { throw malformed("a value was expected") }
        }
        return value
    }

    // MARK: Numbers

    private mutating func number() throws(WireError) -> JSONValue {
        let start = position
        var isInteger = true
        let isNegative = take(UInt8(ascii: "-"))
        let digits = position
        skipDigits()
        guard position > digits, position == digits + 1 || bytes[digits] != UInt8(ascii: "0") else { throw malformed("a number was expected") }
        let digitsEnd = position
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try requireDigits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try requireDigits()
        }
        guard position - start <= Self.numberLengthMax else { throw WireError(.numberOutOfRange, "a number has too many digits") }
        if isInteger, let integer = Self.integer(bytes[digits..<digitsEnd], isNegative: isNegative) { return .integer(integer) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let double = Double(text), double.isFinite else {
            throw WireError(.numberOutOfRange, "a number is beyond the range of a double")
        }
        return .double(double)
    }

    /// Nil beyond Int64, and for −0, which only a Double keeps.
    private static func integer(_ digits: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool) -> Int64? {
        guard digits.count <= 19 else { return nil }
        var magnitude: UInt64 = 0  // 19 digits fit
        for digit in digits { magnitude = magnitude * 10 + UInt64(digit - UInt8(ascii: "0")) }
        guard isNegative else { return Int64(exactly: magnitude) }
        if magnitude == 0 { return nil }
        return magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    private mutating func skipDigits() {
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    }

    private mutating func requireDigits() throws(WireError) {
        let start = position
        skipDigits()
        guard position > start else { throw malformed("a digit was expected") }
    }

    // MARK: Strings

    private mutating func string() throws(WireError) -> String {
        position += 1
        let start = position
        var seen: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let run = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                // Plain ASCII is what it is; only the rest has to be looked through once more.
                if seen < 0x80 { return String(decoding: run, as: UTF8.self) }
                guard let text = String(validating: run, as: UTF8.self) else {
                    throw WireError(.notUnicode, "a string before byte \(position) is not UTF-8")
                }
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw malformed("a control character must be escaped") }
            seen |= byte
            position += 1
        }
        throw malformed("a string has no end")
    }

    /// The rest of a string that holds an escape; `position` stands on the first one.
    private mutating func escapedString(from start: Int) throws(WireError) -> String {
        var units = Array(bytes[start..<position])
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                guard let text = String(validating: units, as: UTF8.self) else {
                    throw WireError(.notUnicode, "a string before byte \(position) is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"):
                position += 1
                units.append(contentsOf: try escape().utf8)
            case 0..<0x20: throw malformed("a control character must be escaped")
            default:
                units.append(byte)
                position += 1
            }
        }
        throw malformed("a string has no end")
    }

    private mutating func escape() throws(WireError) -> String {
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return String(Character(try unicodeEscape()))
        default: throw malformed("an unknown escape")
        }
    }

    private mutating func unicodeEscape() throws(WireError) -> Unicode.Scalar {
        let first = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw WireError(.notUnicode, "half of a surrogate pair before byte \(position)")
        }
        let second = try hexadecimalUnit()
        guard (0xDC00...0xDFFF).contains(second) else {
            throw WireError(.notUnicode, "half of a surrogate pair before byte \(position)")
        }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw WireError(.notUnicode, "no such character before byte \(position)") }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(WireError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw malformed("four hexadecimal digits were expected")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func malformed(_ expectation: String) -> WireError { WireError(.malformed, "byte \(position): \(expectation)") }
}
