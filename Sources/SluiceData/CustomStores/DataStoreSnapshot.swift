/// A value that a snapshot can hold for a property.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one row at one moment.
///
/// Its encoded form has one key for each property, named like it, and an attribute's value or the identifiers of a relationship under it:
/// that is how a context reads a snapshot.
public protocol DataStoreSnapshot: Codable, Sendable {
    var persistentIdentifier: PersistentIdentifier { get }

    /// Takes the values of a model that is being saved.
    /// - Parameter relatedBackingDatas: further models whose values the snapshot holds itself; may be left alone.
    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

    /// The same values under another identifier.
    /// - Parameter remappedIdentifiers: what its relationships name so far, and shall name.
    func copy(persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?) -> Self
}

/// The keys of a snapshot's encoded form.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
    case persistentIdentifier
    case modeledProperty(String)

    private static let identifierText = "persistentIdentifier"
    /// Stands before a property's name that would be taken for something else.
    private static let mark = "~"

    public var stringValue: String {
        switch self {
        case .persistentIdentifier: Self.identifierText
        case .modeledProperty(let name): name == Self.identifierText || name.hasPrefix(Self.mark) ? Self.mark + name : name
        }
    }

    public init?(stringValue: String) {
        if stringValue == Self.identifierText {
            self = .persistentIdentifier
        } else {
            self = .modeledProperty(stringValue.hasPrefix(Self.mark) ? String(stringValue.dropFirst(Self.mark.count)) : stringValue)
        }
    }

    public var intValue: Int? { nil }
    public init?(intValue: Int) { nil }
}
