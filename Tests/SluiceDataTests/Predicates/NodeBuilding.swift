@testable import SluiceData

/// A part of a predicate whose result has a known type and whose form is not known: what predicates are put together of at run time.
struct Node<Output>: StandardPredicateExpression, TranslatableExpression {
    let base: any StandardPredicateExpression<Output>

    init(_ base: any StandardPredicateExpression<Output>) { self.base = base }

    func evaluate(_ bindings: PredicateBindings) throws -> Output { try base.evaluate(bindings) }
    func term(in translator: PredicateTranslator) throws -> SQLTerm { try translator.term(base) }

    init(from decoder: any Decoder) throws { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not encoded")) }
    func encode(to encoder: any Encoder) throws { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "not encoded")) }
}

extension Node where Output: Codable {
    static func value(_ value: Output) -> Node { Node(PredicateExpressions.Value(value)) }
}

extension Node {
    func key<T>(_ keyPath: any KeyPath<Output, T> & Sendable) -> Node<T> { .init(PredicateExpressions.KeyPath(root: self, keyPath: keyPath)) }

    func flatMap<Wrapped, Result>(_ transform: (Node<Wrapped>) -> Node<Result>) -> Node<Result?> where Output == Wrapped? {
        .init(PredicateExpressions.OptionalFlatMap(self) { transform(Node<Wrapped>($0)) })
    }

    /// The same where the closure's result is optional itself: what `?.` makes of an optional property.
    func chain<Wrapped, Result>(_ transform: (Node<Wrapped>) -> Node<Result?>) -> Node<Result?> where Output == Wrapped? {
        .init(PredicateExpressions.OptionalFlatMap<Node, Wrapped, Node<Result?>, Result>(self) { transform(Node<Wrapped>($0)) })
    }

    static func ?? (left: Node<Output?>, right: Node) -> Node {
        .init(PredicateExpressions.NilCoalesce(lhs: left, rhs: right))
    }

    static func choose(_ test: Node<Bool>, _ first: Node, _ second: Node) -> Node {
        .init(PredicateExpressions.Conditional(test: test, trueBranch: first, falseBranch: second))
    }
}

// MARK: Conditions

extension Node where Output: Equatable {
    func equal(_ other: Node) -> Node<Bool> { .init(PredicateExpressions.Equal(lhs: self, rhs: other)) }
    func differs(_ other: Node) -> Node<Bool> { .init(PredicateExpressions.NotEqual(lhs: self, rhs: other)) }
}

extension Node where Output: Equatable & Codable {
    func isMember(of elements: [Output]) -> Node<Bool> {
        .init(PredicateExpressions.SequenceContains(sequence: PredicateExpressions.Value(elements), element: self))
    }
}

extension Node where Output: Comparable {
    func compare(_ operation: PredicateExpressions.ComparisonOperator, _ other: Node) -> Node<Bool> {
        .init(PredicateExpressions.Comparison(lhs: self, rhs: other, op: operation))
    }

    func isIn(_ lower: Node, _ upper: Node, closed: Bool) -> Node<Bool> {
        closed
            ? .init(PredicateExpressions.RangeExpressionContains(range: PredicateExpressions.ClosedRange(lower: lower, upper: upper), element: self))
            : .init(PredicateExpressions.RangeExpressionContains(range: PredicateExpressions.Range(lower: lower, upper: upper), element: self))
    }
}

extension Node<Bool> {
    func and(_ other: Node) -> Node { .init(PredicateExpressions.Conjunction(lhs: self, rhs: other)) }
    func or(_ other: Node) -> Node { .init(PredicateExpressions.Disjunction(lhs: self, rhs: other)) }
    var negated: Node { .init(PredicateExpressions.Negation(self)) }
}

// MARK: Collections

extension Node {
    func contains<Element: Equatable>(_ element: Node<Element>) -> Node<Bool> where Output == [Element] {
        .init(PredicateExpressions.SequenceContains(sequence: self, element: element))
    }

    func contains<Element>(where test: (Node<Element>) -> Node<Bool>) -> Node<Bool> where Output == [Element] {
        .init(PredicateExpressions.SequenceContainsWhere(self) { test(Node<Element>($0)) })
    }

    func allSatisfy<Element>(_ test: (Node<Element>) -> Node<Bool>) -> Node<Bool> where Output == [Element] {
        .init(PredicateExpressions.SequenceAllSatisfy(self) { test(Node<Element>($0)) })
    }

    func filter<Element>(_ test: (Node<Element>) -> Node<Bool>) -> Node<[Element]> where Output == [Element] {
        .init(PredicateExpressions.Filter(self) { test(Node<Element>($0)) })
    }
}

// MARK: Text

extension Node<String> {
    func contains(_ other: Node) -> Node<Bool> { .init(PredicateExpressions.CollectionContainsCollection(base: self, other: other)) }
    func starts(with other: Node) -> Node<Bool> { .init(PredicateExpressions.SequenceStartsWith(base: self, prefix: other)) }
    func search(_ other: Node) -> Node<Bool> { .init(PredicateExpressions.build_localizedStandardContains(self, other)) }
}

// MARK: Numbers

extension Node where Output: Numeric {
    func calculate(_ operation: PredicateExpressions.ArithmeticOperator, _ other: Node) -> Node {
        .init(PredicateExpressions.Arithmetic(lhs: self, rhs: other, op: operation))
    }
}

extension Node where Output: SignedNumeric {
    var negative: Node { .init(PredicateExpressions.UnaryMinus(self)) }
}

extension Node where Output: BinaryInteger {
    func divided(by other: Node) -> Node { .init(PredicateExpressions.IntDivision(lhs: self, rhs: other)) }
    func remainder(by other: Node) -> Node { .init(PredicateExpressions.IntRemainder(lhs: self, rhs: other)) }
}

extension Node where Output: FloatingPoint {
    func quotient(by other: Node) -> Node { .init(PredicateExpressions.FloatDivision(lhs: self, rhs: other)) }
}
