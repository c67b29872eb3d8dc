public import Foundation

/// Which models to fetch, in which order, how many.
///
///     var newest = FetchDescriptor<Note>(predicate: #Predicate { !$0.isArchived }, sortBy: [SortDescriptor(\.updatedAt, order: .reverse)])
///     newest.fetchLimit = 20
///
/// Predicate, order and limits run in the store. What cannot be said in SQL is refused with `SwiftDataError.unsupportedPredicate`, never run
/// over all rows in silence.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
    // Sendable: key paths, predicates and sort descriptors are immutable values; key path literals are only not marked so.

    /// nil for every model of the class.
    public var predicate: Predicate<T>?
    /// nil values come first in ascending order. Without any order the store's own applies.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of models; nil or 0 for all.
    public var fetchLimit: Int?
    /// How many of the first matches to leave out.
    public var fetchOffset: Int?
    /// Whether unsaved edits of the context count. On by default.
    public var includePendingChanges = true
    /// Attributes to read now; the others are read when they are asked for. Empty for all.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// Relationships whose models to read along.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// A fetch of the rows that match; of all of the class without a predicate, in no particular order without one.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }

    /// The limit in force; nil for none.
    var limit: Int? { fetchLimit.flatMap { $0 > 0 ? $0 : nil } }
    var offset: Int { max(0, fetchOffset ?? 0) }
}

extension FetchDescriptor: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.predicate?.description == right.predicate?.description && left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit
            && left.fetchOffset == right.fetchOffset && left.includePendingChanges == right.includePendingChanges
            && left.propertiesToFetch == right.propertiesToFetch
            && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
    }
}
