// A predicate's expression is about the predicate's own variable. To stand inside another predicate it must be about that one's. Foundation
// has a node that binds a variable to a value, the one of `flatMap`, but its initialiser makes the variable itself; decoding it does not.
// So it is decoded, from a decoder that hands over finished parts. A node of our own would do the same and stop any program that prints its
// predicate.

import Foundation

enum Rebinding {
    /// The expression, about `new` where it was about `old`.
    static func rebind<Input>(
        _ expression: any StandardPredicateExpression<Bool>, from old: PredicateExpressions.Variable<Input>, to new: PredicateExpressions.Variable<Input>
    ) -> any StandardPredicateExpression<Bool> {
        func apply<Expression: StandardPredicateExpression<Bool>>(_ expression: Expression) -> any StandardPredicateExpression<Bool> {
            typealias Wrapped = PredicateExpressions.ConditionalCast<PredicateExpressions.Variable<Input>, Input>
            typealias Bound = PredicateExpressions.OptionalFlatMap<Wrapped, Input, Expression, Bool>
            guard let bound = try? Bound(from: PartsDecoder(parts: [Wrapped(new), expression, old])) else {
                return ReboundExpression(expression: expression, old: old, new: new)
            }
            return PredicateExpressions.NilCoalesce(lhs: bound, rhs: PredicateExpressions.Value(false))
        }
        return apply(expression)
    }
}

/// Stands in where Foundation's node is decoded in another way than is known here.
struct ReboundExpression<Expression: StandardPredicateExpression<Bool>, Input>: StandardPredicateExpression {
    let expression: Expression
    let old: PredicateExpressions.Variable<Input>
    let new: PredicateExpressions.Variable<Input>

    func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        var bindings = bindings
        bindings[old] = try new.evaluate(bindings)
        return try expression.evaluate(bindings)
    }
}

extension ReboundExpression: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        translator.bind(old, to: try translator.term(of: new.key))
        return try translator.term(expression)
    }
}

/// Gives out values one after the other, as they are.
private struct PartsDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let parts: [Any]

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Container(parts: parts) }
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw Self.mismatch }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.mismatch }

    static var mismatch: DecodingError { .dataCorrupted(.init(codingPath: [], debugDescription: "parts in a row are all there is")) }

    private struct Container: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey] = []
        let parts: [Any]
        private(set) var currentIndex = 0
        var count: Int? { parts.count }
        var isAtEnd: Bool { currentIndex >= parts.count }

        init(parts: [Any]) { self.parts = parts }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            guard !isAtEnd, let part = parts[currentIndex] as? Value else { throw mismatch }
            currentIndex += 1
            return part
        }

        mutating func decodeNil() -> Bool { false }
        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw mismatch }
        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch }
        mutating func superDecoder() throws -> any Decoder { throw mismatch }
    }
}
