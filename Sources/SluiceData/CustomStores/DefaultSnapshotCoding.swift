// The encoded form: the identifier and one member for each property that is not nil, each as its own type encodes itself. To decode it,
// the types must be known: they are found by the entity's name.

import Foundation
import Synchronization

extension DefaultSnapshot {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        guard let shape = SnapshotTypes.shape(named: identifier.entityName) else {
            throw DecodingError.dataCorruptedError(
                forKey: .persistentIdentifier, in: container,
                debugDescription: "no custom store that is open has a model \(identifier.entityName): open its container first")
        }
        var values: [String: any DataStoreSnapshotValue] = [:]
        for property in shape.properties where !property.isEphemeral {
            values[property.name] = try Self.value(of: property, in: container)
        }
        self.init(identifier, values: values)
    }

    private static func value(
        of property: ModelProperty, in container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
    ) throws -> (any DataStoreSnapshotValue)? {
        let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
        guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
        switch property.kind {
        case .toOne: return try container.decode(PersistentIdentifier.self, forKey: key)
        case .toMany: return try container.decode([PersistentIdentifier].self, forKey: key)
        case .attribute(.transformable): return try container.decode(Data.self, forKey: key)
        case .attribute:
            func apply<Value: Decodable>(_ type: Value.Type) throws -> (any DataStoreSnapshotValue)? {
                try SnapshotValue.of(container.decode(type, forKey: key))
            }
            guard let type = property.valueType as? any Decodable.Type else { return nil }
            return try apply(type)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { try container.encode(value, forKey: .modeledProperty(name)) }
    }
}

/// Which class an entity's name means.
enum SnapshotTypes {
    /// While a store is called: the classes of its schema.
    @TaskLocal static var current: [String: ModelShape]?
    /// Otherwise those of the stores that were opened, the last one first.
    private static let opened = Mutex<[String: ModelShape]>([:])

    static func register(_ shapes: [String: ModelShape]) { opened.withLock { $0.merge(shapes) { _, new in new } } }

    static func shape(named entity: String) -> ModelShape? { current?[entity] ?? opened.withLock { $0[entity] } }
}
