// The nodes of `caseInsensitiveCompare` and `localizedCompare` are missing on Linux like that of `localizedStandardContains`, and are said
// with Foundation's own for the same reason: a text seen as a collection that has, at the place of each other text, how it compares.

public import Foundation

/// How a text compares with others.
public struct TextComparisons: Collection, Sendable {
    let text: String
    let isLocalized: Bool

    /// Another text.
    public enum Index: Hashable, Comparable, Sendable {
        case first
        case text(String)
        case end
    }

    public var startIndex: Index { .first }
    public var endIndex: Index { .end }
    /// There is no list of all texts: the collection is only looked at by index.
    public func index(after index: Index) -> Index { .end }

    public subscript(index: Index) -> ComparisonResult {
        guard case .text(let other) = index else { return .orderedSame }
        return isLocalized ? LocalizedStringComparator.localized.compare(text, other) : text.caseInsensitiveCompare(other)
    }
}

extension String {
    /// How this text compares with others without regard to case.
    public var _caseInsensitiveComparisons: TextComparisons { TextComparisons(text: self, isLocalized: false) }
    /// How this text compares with others in the order of `SortDescriptor`'s `.localized`.
    public var _localizedComparisons: TextComparisons { TextComparisons(text: self, isLocalized: true) }
    /// This text, as one that another is compared with.
    public var _comparisonIndex: TextComparisons.Index { .text(self) }
}

extension PredicateExpressions {
    /// What `#Predicate` makes of a comparison of texts.
    public typealias TextComparison<Root: PredicateExpression, Other: PredicateExpression> = CollectionIndexSubscript<
        KeyPath<Root, TextComparisons>, KeyPath<Other, TextComparisons.Index>
    >

    /// `text.caseInsensitiveCompare(other)`. The result is compared with a captured `ComparisonResult`.
    public static func build_caseInsensitiveCompare<Root, Other>(_ root: Root, _ other: Other) -> TextComparison<Root, Other>
    where Root.Output == String, Other.Output == String {
        CollectionIndexSubscript(
            wrapped: KeyPath(root: root, keyPath: \._caseInsensitiveComparisons), index: KeyPath(root: other, keyPath: \._comparisonIndex))
    }

    /// `text.localizedCompare(other)`. The result is compared with a captured `ComparisonResult`.
    public static func build_localizedCompare<Root, Other>(_ root: Root, _ other: Other) -> TextComparison<Root, Other>
    where Root.Output == String, Other.Output == String {
        CollectionIndexSubscript(wrapped: KeyPath(root: root, keyPath: \._localizedComparisons), index: KeyPath(root: other, keyPath: \._comparisonIndex))
    }
}
