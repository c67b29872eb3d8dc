/// What a transaction did to one row.
///
///     for case .insert(let insertion as DefaultHistoryInsert<Note>) in transaction.changes { … }
public enum HistoryChange: Sendable {
    case insert(any HistoryInsert)
    case update(any HistoryUpdate)
    case delete(any HistoryDelete)

    /// The row. After a deletion it names a row that is gone.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let insertion): insertion.changedPersistentIdentifier
        case .update(let update): update.changedPersistentIdentifier
        case .delete(let deletion): deletion.changedPersistentIdentifier
        }
    }
}

/// A row that came.
public protocol HistoryInsert<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A row that got other values.
public protocol HistoryUpdate<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The properties that changed. An inherited one has the key path of the class that declares it.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// A row that went.
public protocol HistoryDelete<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// What is still known of the row.
    var tombstone: HistoryTombstone<Model> { get }
}
