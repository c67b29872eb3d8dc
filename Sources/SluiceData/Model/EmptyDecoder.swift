// Decodes a value from nothing: zeros, empty texts, empty collections, nil. Enough for most structs; an enum with cases of its own may refuse.

/// Makes the emptiest value of a decodable type.
struct EmptyDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// Types may contain themselves.
    let depth: Int

    static func value<Value: Decodable>(of type: Value.Type, depth: Int = 0) -> Value? {
        if let stored = type as? any _StoredValue.Type { return stored._$zero as? Value }
        guard depth < 16 else { return nil }
        // A type that cannot be made from nothing says so by throwing.
        return try? Value(from: EmptyDecoder(depth: depth + 1))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> { KeyedDecodingContainer(Keyed(depth: depth)) }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(depth: depth) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(depth: depth) }

    private static func decoded<Value: Decodable>(_ type: Value.Type, depth: Int) throws -> Value {
        if let value = EmptyDecoder.value(of: type, depth: depth) { return value }
        throw DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "no empty form"))
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []
        let depth: Int

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoded(type, depth: depth) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Keyed<Nested>(depth: depth))
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { Unkeyed(depth: depth) }
        func superDecoder() -> any Decoder { EmptyDecoder(depth: depth) }
        func superDecoder(forKey key: Key) -> any Decoder { EmptyDecoder(depth: depth) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey] = []
        let count: Int? = 0
        let isAtEnd = true
        let currentIndex = 0
        let depth: Int

        func decodeNil() -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded(type, depth: depth) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Keyed<Nested>(depth: depth))
        }
        func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
        func superDecoder() -> any Decoder { EmptyDecoder(depth: depth) }
    }

    private struct Single: SingleValueDecodingContainer {
        let codingPath: [any CodingKey] = []
        let depth: Int

        func decodeNil() -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded(type, depth: depth) }
    }
}
