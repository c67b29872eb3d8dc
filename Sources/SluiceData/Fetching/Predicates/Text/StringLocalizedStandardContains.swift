public import Foundation

// Foundation has this node on Apple's platforms only. `#Predicate` expands `localizedStandardContains` to the build function's name.
extension PredicateExpressions {
    /// `text.localizedStandardContains(search)`: without regard to case and diacritics, folded as in the root locale.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = Bool

        public let root: Root
        public let other: Other

        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            FoldedText.contains(String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
        }
    }

    public static func build_localizedStandardContains<Root, Other>(_ root: Root, _ other: Other) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        .of(try translator.finds(translator.term(other), in: translator.term(root)))
    }
}
