import Foundation

/// A snapshot of any model: its attributes as they are, its relationships as identifiers.
///
/// Decoding one needs to know the types of the properties: inside a store's own methods they are those of the store's schema, elsewhere
/// those of the container with a custom store that was opened last.
public struct DefaultSnapshot: DataStoreSnapshot {
    public let persistentIdentifier: PersistentIdentifier
    /// By the names of the properties; those that are nil are absent. A relationship's is a `PersistentIdentifier` or an array of them.
    let values: [String: any DataStoreSnapshotValue]

    init(_ identifier: PersistentIdentifier, values: [String: any DataStoreSnapshotValue]) {
        persistentIdentifier = identifier
        self.values = values
    }

    /// Takes a model's values, and those of the partners that come along.
    public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        self.init(from: backingData)
    }

    private init<Data: BackingData>(from backingData: Data) {
        let shape = ModelShape.of(Data.Model.self)
        if let source = backingData as? any SnapshotSource {
            self.init(source.identifier, values: source.snapshotValues)
            return
        }
        var values: [String: any DataStoreSnapshotValue] = [:]
        for property in shape.properties where !property.isEphemeral {
            values[property.name] = BackingValue.read(property, from: backingData)
        }
        let origin = IdentifierOrigin(storeIdentifier: nil, entityName: shape.entityName, rootEntityName: shape.root.entityName)
        let fresh = PersistentIdentifier(origin, temporary: PersistentIdentifier.nextTemporaryNumber())
        self.init(backingData.persistentModelID ?? fresh, values: values)
    }

    /// The same values under another identifier.
    /// - Parameter remappedIdentifiers: what its relationships name so far, and shall name.
    public func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
    ) -> DefaultSnapshot {
        guard let remappedIdentifiers else { return DefaultSnapshot(persistentIdentifier, values: values) }
        let values = values.mapValues { value -> any DataStoreSnapshotValue in
            switch value {
            case let identifier as PersistentIdentifier: remappedIdentifiers[identifier] ?? identifier
            case let identifiers as [PersistentIdentifier]: identifiers.map { remappedIdentifiers[$0] ?? $0 }
            default: value
            }
        }
        return DefaultSnapshot(persistentIdentifier, values: values)
    }
}

/// Backing data that knows its values by name.
protocol SnapshotSource {
    var identifier: PersistentIdentifier { get }
    var snapshotValues: [String: any DataStoreSnapshotValue] { get }
}

/// Reads one property of backing data that somebody else wrote, by its key path.
enum BackingValue {
    static func read<Data: BackingData>(_ property: ModelProperty, from data: Data) -> (any DataStoreSnapshotValue)? {
        switch property.kind {
        case .attribute: property.valueType is any Decodable.Type ? attribute(property, data) : nil
        case .toOne, .toMany: nil
        }
    }

    private static func attribute<Data: BackingData>(_ property: ModelProperty, _ data: Data) -> (any DataStoreSnapshotValue)? {
        func apply<Value: Decodable>(_ type: Value.Type) -> (any DataStoreSnapshotValue)? {
            guard let keyPath = property.keyPath as? KeyPath<Data.Model, Value> else { return nil }
            // A value that does not encode is refused when it is saved; here nobody could be told.
            return (try? SnapshotValue.of(data.getValue(forKey: keyPath))) ?? nil
        }
        guard let type = property.valueType as? any Decodable.Type else { return nil }
        return apply(type)
    }
}

/// Values of properties as a snapshot holds them.
enum SnapshotValue {
    /// nil for a value that is nil, and for one that is not codable.
    /// - Throws: what an object says that cannot be encoded.
    static func of(_ value: Any) throws -> (any DataStoreSnapshotValue)? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let content = mirror.children.first else { return nil }
            return try of(content.value)
        }
        guard let codable = value as? any Codable else { return nil }
        // An object could be edited behind the snapshot's back: the snapshot gets one of its own.
        return type(of: codable) is AnyClass ? try copy(of: codable) : sendable(codable)
    }

    private static func copy<Value: Codable>(of value: Value) throws -> any DataStoreSnapshotValue {
        sendable(try CanonicalJSON.decode(Value.self, from: CanonicalJSON.encode(value)))
    }

    /// Nobody else has the value, or it is a value that is copied when it is edited. `Sendable` has no witness table, so that both
    /// existentials are laid out alike.
    private static func sendable(_ value: any Codable) -> any DataStoreSnapshotValue {
        unsafeBitCast(value as any Codable, to: (any DataStoreSnapshotValue).self)
    }
}
