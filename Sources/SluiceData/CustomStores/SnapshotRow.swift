/// The values of a snapshot of any type, by the names of the properties.
struct SnapshotRow {
    let identifier: PersistentIdentifier
    let values: [String: Any]

    /// - Throws: what the snapshot throws when it encodes itself, and where it nests values in a way that has no property's name.
    init(_ snapshot: some DataStoreSnapshot) throws {
        identifier = snapshot.persistentIdentifier
        if let snapshot = snapshot as? DefaultSnapshot {
            values = snapshot.values
        } else {
            let reader = SnapshotReader()
            try snapshot.encode(to: reader)
            if let failure = reader.failure { throw failure }
            values = reader.values
        }
    }
}

/// Takes what a snapshot would encode, value by value, without encoding it.
private final class SnapshotReader: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private(set) var values: [String: Any] = [:]
    private(set) var failure: (any Error)?

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { KeyedEncodingContainer(Keyed(reader: self)) }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        refuse("values without names")
        return Ignored()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        refuse("a value without a name")
        return Ignored()
    }

    fileprivate func note(_ value: Any, for key: any CodingKey) {
        guard case .modeledProperty(let name)? = DataStoreSnapshotCodingKey(stringValue: key.stringValue) else { return }
        values[name] = value
    }

    fileprivate func refuse(_ what: String) {
        let problem = "a snapshot must encode one value under the name of each property; it encodes \(what)"
        failure = failure ?? EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: problem))
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey] = []
        let reader: SnapshotReader

        mutating func encodeNil(forKey key: Key) {}
        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) { reader.note(value, for: key) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
            reader.refuse("members of \(key.stringValue)")
            return KeyedEncodingContainer(IgnoredMembers<Nested>())
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            reader.refuse("elements of \(key.stringValue)")
            return Ignored()
        }

        mutating func superEncoder() -> any Encoder { reader }
        mutating func superEncoder(forKey key: Key) -> any Encoder { reader }
    }
}

/// Takes values that were refused, so that the snapshot can go on.
private struct Ignored: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let codingPath: [any CodingKey] = []
    let count = 0

    mutating func encodeNil() {}
    mutating func encode<Value: Encodable>(_ value: Value) {}
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(IgnoredMembers<Nested>())
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { SnapshotReader() }
}

private struct IgnoredMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey] = []

    mutating func encodeNil(forKey key: Key) {}
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(IgnoredMembers<Nested>())
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Ignored() }
    mutating func superEncoder() -> any Encoder { SnapshotReader() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { SnapshotReader() }
}
