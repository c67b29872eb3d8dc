// Foundation has the node of `localizedStandardContains` on Apple's platforms only, and a node of our own would stop any program that
// prints its predicate: Foundation's description knows Foundation's nodes. So it is said with those: a text seen as a sequence of all the
// texts that are found in it, which contains another.

public import Foundation
import SluiceStore

/// A text in which others are searched, without regard to case and diacritics.
public struct SearchableText: Sequence, Sendable {
    let text: String

    /// What is searched for.
    public struct Search: Hashable, Sendable {
        let text: String
    }

    /// Only the text itself; `contains` knows the others.
    public func makeIterator() -> IndexingIterator<[Search]> { [Search(text: text)].makeIterator() }

    public func _customContainsEquatableElement(_ element: Search) -> Bool? { FoldedText.contains(text, element.text) }
}

extension String {
    /// This text, as one in which others are searched.
    public var _searchable: SearchableText { SearchableText(text: self) }
    /// This text, as one that is searched for.
    public var _search: SearchableText.Search { SearchableText.Search(text: self) }
}

extension PredicateExpressions {
    /// `text.localizedStandardContains(search)`: case and diacritics fold as in the root locale, and the empty text is found nowhere.
    public static func build_localizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>(
        _ root: Root, _ other: Other
    ) -> SequenceContains<KeyPath<Root, SearchableText>, KeyPath<Other, SearchableText.Search>>
    where Root.Output == String, Other.Output == String {
        SequenceContains(sequence: KeyPath(root: root, keyPath: \._searchable), element: KeyPath(root: other, keyPath: \._search))
    }
}
