import Foundation
import Synchronization

/// What names a model: its store, its entity and its row. It crosses to other actors and processes, and names the same row there.
///
/// Until a new model is saved it has a temporary identifier; saving gives it its own.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Sendable {
    /// What is equal for identifiers of one row.
    public struct ID: Hashable, Sendable {
        package let origin: IdentifierOrigin
        package let key: Key

        public static func == (left: ID, right: ID) -> Bool { left.key == right.key && left.origin.sharesKeys(with: right.origin) }

        public func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    package enum Key: Hashable, Sendable {
        /// The integer key of a row.
        case row(Int64)
        /// A model that was not saved yet: a number that counts in one run of one process.
        case temporary(run: UInt64, number: UInt64)
        /// What a custom store calls its row.
        case custom(String)
    }

    public let id: ID

    package init(_ origin: IdentifierOrigin, _ key: Key) { id = ID(origin: origin, key: key) }

    /// A row's. `origin` is shared by all identifiers of its entity.
    package init(_ origin: IdentifierOrigin, row: Int64) { self.init(origin, .row(row)) }

    /// A new model's. `number` comes from `nextTemporaryNumber()`: contexts that counted for themselves would call two models the same.
    package init(_ origin: IdentifierOrigin, temporary number: UInt64) { self.init(origin, .temporary(run: Self.thisRun, number: number)) }

    /// A number that no other new model of this process has.
    package static func nextTemporaryNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The number of a model that is new in this run; nil for any other.
    var newNumber: UInt64? { if case .temporary(Self.thisRun, let number) = key { number } else { nil } }

    /// Tells this run of this process from all others.
    private static let thisRun = UInt64.random(in: .min ... .max)
    private static let lastNumber = Atomic<UInt64>(0)

    /// An identifier of a custom store's row.
    ///
    /// An integer key is the row's key: for a store of this module that gives the identifier which a fetch gives.
    /// - Throws: `SwiftDataError.invalidConfiguration` where a name is empty.
    public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier {
        guard !storeIdentifier.isEmpty, !entityName.isEmpty else {
            throw SwiftDataError.invalidConfiguration.because("an identifier needs the names of a store and of an entity; one is empty")
        }
        let key: Key = (primaryKey as? any BinaryInteger).flatMap { Int64(exactly: $0) }.map(Key.row) ?? .custom(primaryKey.description)
        return PersistentIdentifier(IdentifierOrigin(storeIdentifier: storeIdentifier, entityName: entityName), key)
    }

    /// The name of the model's entity.
    public var entityName: String { id.origin.entityName }
    /// nil until the model is saved.
    public var storeIdentifier: String? { id.origin.storeIdentifier }

    package var rootEntityName: String { id.origin.rootEntityName }
    package var key: Key { id.key }
    package var isTemporary: Bool { if case .temporary = key { true } else { false } }
    /// The row's key; nil for a new model and for rows of custom stores that have no integer key.
    package var rowKey: Int64? { if case .row(let row) = key { row } else { nil } }

    /// By store, entity and key. New models follow the saved ones, in the order in which they were made.
    public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
        guard left != right else { return false }
        let (leftOrigin, rightOrigin) = (left.id.origin, right.id.origin)
        let leftPlace = (leftOrigin.storeIdentifier == nil ? 1 : 0, leftOrigin.storeIdentifier ?? "", leftOrigin.rootEntityName)
        let rightPlace = (rightOrigin.storeIdentifier == nil ? 1 : 0, rightOrigin.storeIdentifier ?? "", rightOrigin.rootEntityName)
        return leftPlace == rightPlace ? left.key < right.key : leftPlace < rightPlace
    }
}

extension PersistentIdentifier.Key: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.row(let left), .row(let right)): left < right
        case (.custom(let left), .custom(let right)): left < right
        case (.temporary(let leftRun, let left), .temporary(let rightRun, let right)): (leftRun, left) < (rightRun, right)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .row: 0
        case .custom: 1
        case .temporary: 2
        }
    }
}

extension PersistentIdentifier: CustomStringConvertible {
    public var description: String { uriRepresentation }
}
