public import Foundation

// Foundation has `Predicate(all:)` from its 27 releases on; the others are ours.
extension Predicate {
    /// Holds where every one of the predicates does; always, where there are none.
    ///
    ///     let filters = [isOpen, isMine]          // each a #Predicate<Task>
    ///     let both = Predicate(all: filters)
    public init(all subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            let parts = Self.expressions(of: subpredicates, over: repeat each variable)
            return Combination.joined(parts[...], by: Combination.both) ?? PredicateExpressions.Value(true)
        }
    }

    /// Holds where at least one of the predicates does; never, where there are none.
    public init(any subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            let parts = Self.expressions(of: subpredicates, over: repeat each variable)
            return Combination.joined(parts[...], by: Combination.either) ?? PredicateExpressions.Value(false)
        }
    }

    /// Holds where none of the predicates does; always, where there are none.
    public init(none subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            let parts = Self.expressions(of: subpredicates, over: repeat each variable)
            return Combination.joined(parts[...], by: Combination.either).map(Combination.opposite) ?? PredicateExpressions.Value(true)
        }
    }

    private static func expressions(
        of predicates: some BidirectionalCollection<Predicate<repeat each Input>>, over variable: repeat PredicateExpressions.Variable<each Input>
    ) -> [any StandardPredicateExpression<Bool>] {
        predicates.map { predicate in
            var expression = predicate.expression
            for (old, new) in repeat (each predicate.variable, each variable) { expression = Rebinding.rebind(expression, from: old, to: new) }
            return expression
        }
    }
}

private enum Combination {
    typealias Condition = any StandardPredicateExpression<Bool>

    /// In a tree as flat as can be: the type of the whole spells out the types of its parts.
    static func joined(_ parts: ArraySlice<Condition>, by combine: (Condition, Condition) -> Condition) -> Condition? {
        guard let first = parts.first else { return nil }
        let middle = parts.startIndex + parts.count / 2
        guard let left = parts.count > 1 ? joined(parts[..<middle], by: combine) : nil, let right = joined(parts[middle...], by: combine) else { return first }
        return combine(left, right)
    }

    static func both(_ left: Condition, _ right: Condition) -> Condition {
        func apply<Left: StandardPredicateExpression<Bool>, Right: StandardPredicateExpression<Bool>>(_ left: Left, _ right: Right) -> Condition {
            PredicateExpressions.Conjunction(lhs: left, rhs: right)
        }
        return apply(left, right)
    }

    static func either(_ left: Condition, _ right: Condition) -> Condition {
        func apply<Left: StandardPredicateExpression<Bool>, Right: StandardPredicateExpression<Bool>>(_ left: Left, _ right: Right) -> Condition {
            PredicateExpressions.Disjunction(lhs: left, rhs: right)
        }
        return apply(left, right)
    }

    static func opposite(_ condition: Condition) -> Condition {
        func apply<Wrapped: StandardPredicateExpression<Bool>>(_ condition: Wrapped) -> Condition { PredicateExpressions.Negation(condition) }
        return apply(condition)
    }
}
