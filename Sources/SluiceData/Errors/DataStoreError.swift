public import Foundation

/// What custom stores throw to say how far they go.
public enum DataStoreError: Error, Hashable, Sendable {
    /// The store does not do this at all.
    case unsupportedFeature
    /// The store returns more than was asked for; the context filters.
    case preferInMemoryFilter
    /// The store returns rows in any order; the context sorts.
    case preferInMemorySort
    /// The predicate makes no sense to the store.
    case invalidPredicate
}

extension DataStoreError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unsupportedFeature: "the store does not support that"
        case .preferInMemoryFilter: "the store leaves filtering to the context"
        case .preferInMemorySort: "the store leaves sorting to the context"
        case .invalidPredicate: "the store cannot make sense of the predicate"
        }
    }
}
