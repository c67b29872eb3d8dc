// Decodes a value from nothing: zeros, empty texts, empty collections, nil, the first case of an enum. Enough for most types; one whose
// initialiser checks what it decodes may refuse.

/// Makes the emptiest value of a decodable type.
struct EmptyDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let depth: Int
    /// Which of its cases an enum with payloads is told to be.
    let caseNumber: Int

    /// Types may contain themselves.
    static let depthMax = 8

    /// nil where the type refuses.
    static func value<Value: Decodable>(of type: Value.Type, depth: Int) -> Value? {
        for number in 0..<max(1, EnumCases.counts(of: type)?.payload ?? 1) {
            // A type that cannot be made from nothing says so by throwing; of an enum, another case may do.
            if let value = try? Value(from: EmptyDecoder(depth: depth + 1, caseNumber: number)) { return value }
        }
        return nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(depth: depth, caseNumber: caseNumber))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(depth: depth) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(depth: depth) }

    private static func decoded<Value: Decodable>(_ type: Value.Type, depth: Int) throws -> Value {
        if let value = Fallback.emptiest(of: type, depth: depth) { return value }
        throw DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "no empty form"))
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let codingPath: [any CodingKey] = []
        let depth: Int
        var caseNumber = 0

        /// An enum with payloads finds its case as the only key, and a dictionary, whose keys are no enum, finds none.
        var allKeys: [Key] { EnumCases.value(of: Key.self, number: caseNumber).map { [$0] } ?? [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoded(type, depth: depth) }
        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Keyed<Nested>(depth: depth))
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { Unkeyed(depth: depth) }
        func superDecoder() -> any Decoder { EmptyDecoder(depth: depth, caseNumber: 0) }
        func superDecoder(forKey key: Key) -> any Decoder { EmptyDecoder(depth: depth, caseNumber: 0) }
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
        func superDecoder() -> any Decoder { EmptyDecoder(depth: depth, caseNumber: 0) }
    }

    private struct Single: SingleValueDecodingContainer {
        let codingPath: [any CodingKey] = []
        let depth: Int

        func decodeNil() -> Bool { true }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded(type, depth: depth) }
    }
}
