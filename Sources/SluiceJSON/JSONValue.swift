/// A parsed JSON text.
///
/// Numbers keep their kind: an integer literal within Int64 is exact and stays an integer, so that `1` and `1.0` can be told apart where the
/// dialect infers a field's type.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The object here; throws `unexpected` for anything else.
    package func asObject() throws(WireError) -> JSONObject {
        guard case .object(let object) = self else { throw WireError(.unexpected, "an object was expected, not \(kind)") }
        return object
    }

    package func asArray() throws(WireError) -> [JSONValue] {
        guard case .array(let elements) = self else { throw WireError(.unexpected, "an array was expected, not \(kind)") }
        return elements
    }

    package func asString() throws(WireError) -> String {
        guard case .string(let text) = self else { throw WireError(.unexpected, "a string was expected, not \(kind)") }
        return text
    }

    package func asBoolean() throws(WireError) -> Bool {
        guard case .boolean(let flag) = self else { throw WireError(.unexpected, "true or false was expected, not \(kind)") }
        return flag
    }

    /// A whole number: an integer literal, a literal such as `1e3` that is exactly one, or its decimal text (`numbersAsStrings`).
    package func asInteger() throws(WireError) -> Int64 {
        switch self {
        case .integer(let integer): return integer
        case .double(let double):
            // From 2^53 on a literal with a fraction or exponent may already have been rounded.
            guard double.magnitude < 9_007_199_254_740_992, let integer = Int64(exactly: double) else {
                throw WireError(.unexpected, "a whole number was expected")
            }
            return integer
        case .string(let text):
            guard let integer = Int64(text) else { throw WireError(.unexpected, "a whole number was expected, not text") }
            return integer
        default: throw WireError(.unexpected, "a whole number was expected, not \(kind)")
        }
    }

    /// A finite number, or its text (`numbersAsStrings`).
    package func asDouble() throws(WireError) -> Double {
        switch self {
        case .integer(let integer): return Double(integer)
        case .double(let double): return double
        case .string(let text):
            guard let double = Double(text), double.isFinite else { throw WireError(.unexpected, "a finite number was expected") }
            return double
        default: throw WireError(.unexpected, "a number was expected, not \(kind)")
        }
    }

    /// What stands here, for error texts.
    private var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a Boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object in their order; the reader has made sure that no key stands twice.
///
/// The typed accessors treat null as absent, as the dialect does; `member` tells the two apart.
package struct JSONObject: Sendable {
    package let members: [(key: String, value: JSONValue)]

    /// - Parameter members: no key twice.
    package init(members: [(key: String, value: JSONValue)]) { self.members = members }

    package func member(_ key: String) -> JSONValue? {
        for member in members where member.key == key { return member.value }
        return nil
    }

    package subscript(key: String) -> JSONValue? {
        guard let value = member(key), !value.isNull else { return nil }
        return value
    }

    package func string(_ key: String) throws(WireError) -> String? { try read(key) { value throws(WireError) in try value.asString() } }
    package func integer(_ key: String) throws(WireError) -> Int64? { try read(key) { value throws(WireError) in try value.asInteger() } }
    package func double(_ key: String) throws(WireError) -> Double? { try read(key) { value throws(WireError) in try value.asDouble() } }
    package func boolean(_ key: String) throws(WireError) -> Bool? { try read(key) { value throws(WireError) in try value.asBoolean() } }
    package func object(_ key: String) throws(WireError) -> JSONObject? { try read(key) { value throws(WireError) in try value.asObject() } }

    package func requiredString(_ key: String) throws(WireError) -> String { try require(try string(key), key) }
    package func requiredInteger(_ key: String) throws(WireError) -> Int64 { try require(try integer(key), key) }
    package func requiredDouble(_ key: String) throws(WireError) -> Double { try require(try double(key), key) }
    package func requiredObject(_ key: String) throws(WireError) -> JSONObject { try require(try object(key), key) }

    package func strings(_ key: String) throws(WireError) -> [String]? {
        try list(key) { value throws(WireError) in try value.asString() }
    }

    /// The elements of an array, each turned into a value; nil where the key is absent or null.
    package func list<Element>(
        _ key: String, _ body: (JSONValue) throws(WireError) -> Element
    ) throws(WireError) -> [Element]? {
        guard let elements = try read(key, { value throws(WireError) in try value.asArray() }) else { return nil }
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            result.append(try within("\(key)[\(index)]") { () throws(WireError) in try body(element) })
        }
        return result
    }

    package func requiredList<Element>(
        _ key: String, _ body: (JSONValue) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        try require(try list(key, body), key)
    }

    private func read<Value>(_ key: String, _ body: (JSONValue) throws(WireError) -> Value) throws(WireError) -> Value? {
        guard let value = self[key] else { return nil }
        return try within(key) { () throws(WireError) in try body(value) }
    }

    private func require<Value>(_ value: Value?, _ key: String) throws(WireError) -> Value {
        guard let value else { throw WireError(.missing, "missing required key '\(key)'") }
        return value
    }
}
