// Models in memory in the order that a statement would give them. A sort descriptor compares models too, but as it was made: on Linux its
// `order` counts for nothing once it is set afterwards. So the values are compared here, and the order is applied to the result.

import Foundation

/// Compares models as sort descriptors say.
struct ModelOrder<Model> {
    private let comparisons: [(Model, Model) -> ComparisonResult]

    init(_ descriptors: [SortDescriptor<Model>]) {
        comparisons = descriptors.map { descriptor in
            guard let keyPath = descriptor.keyPath, let compare = Self.comparison(keyPath) else { return descriptor.compare }
            guard descriptor.order == .reverse else { return compare }
            return { left, right in compare(right, left) }
        }
    }

    func precedes(_ left: Model, _ right: Model) -> Bool {
        for compare in comparisons {
            switch compare(left, right) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return false
    }

    /// nil for values that have no order of their own.
    private static func comparison(_ keyPath: PartialKeyPath<Model>) -> ((Model, Model) -> ComparisonResult)? {
        let type = type(of: keyPath).valueType
        guard let comparable = ((type as? any OptionalType.Type)?.wrappedType ?? type) as? any Comparable.Type else { return nil }
        func apply<Value: Comparable>(_ type: Value.Type) -> (Model, Model) -> ComparisonResult {
            { left, right in
                switch (unwrapped(left[keyPath: keyPath]) as? Value, unwrapped(right[keyPath: keyPath]) as? Value) {
                case (nil, nil): .orderedSame
                case (nil, _): .orderedAscending
                case (_, nil): .orderedDescending
                case (let left?, let right?): left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
                }
            }
        }
        return apply(comparable)
    }
}
