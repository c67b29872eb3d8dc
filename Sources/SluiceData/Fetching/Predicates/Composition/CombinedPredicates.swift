public import Foundation

extension PredicateExpressions {
    /// How many of several predicates must hold.
    public enum CombinationRule: Sendable {
        case all
        case any
        case none

        /// The result for one predicate that decides the whole.
        var decisive: Bool { self != .all }
    }

    /// Predicates over one input, of which all or any must hold: what `Predicate(all:)` and `Predicate(any:)` are made of.
    public struct CombinedPredicates<each Input>: PredicateExpression {
        public typealias Output = Bool

        public let rule: CombinationRule
        public let predicates: [Predicate<repeat each Input>]
        public let variable: (repeat Variable<each Input>)

        init(_ rule: CombinationRule, _ predicates: [Predicate<repeat each Input>], of variable: repeat Variable<each Input>) {
            self.rule = rule
            self.predicates = predicates
            self.variable = (repeat each variable)
        }

        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            for predicate in predicates where try predicate.evaluate(repeat (each variable).evaluate(bindings)) == rule.decisive {
                return rule == .any
            }
            return rule != .any
        }
    }
}

extension PredicateExpressions.CombinedPredicates: StandardPredicateExpression {
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self, .init(codingPath: encoder.codingPath, debugDescription: "a predicate made of predicates cannot be encoded"))
    }

    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "a predicate made of predicates cannot be decoded"))
    }
}

extension PredicateExpressions.CombinedPredicates: TranslatableExpression {
    func term(in translator: PredicateTranslator) throws -> SQLTerm {
        var result = Condition(rule == .all)
        for predicate in predicates {
            repeat translator.bind(each predicate.variable, to: try translator.term(of: (each variable).key))
            let known = rule == .all ? result.presentWhereTrue : result.presentWhereFalse
            let condition = try translator.assuming(known) { try translator.condition(translator.term(predicate.expression)) }
            result = rule == .all ? result.and(condition) : result.or(condition)
            if result.constant == rule.decisive { break }
        }
        return .of(rule == .none ? result.negated : result)
    }
}

// Foundation has the first of these from its 27 releases on.
extension Predicate {
    /// Holds where every one of the predicates does; always, where there are none.
    public init(all subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        let predicates = Array(subpredicates)
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.CombinedPredicates(.all, predicates, of: repeat each variable)
        }
    }

    /// Holds where none of the predicates does; always, where there are none.
    public init(none subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        let predicates = Array(subpredicates)
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.CombinedPredicates(.none, predicates, of: repeat each variable)
        }
    }

    /// Holds where at least one of the predicates does; never, where there are none.
    public init(any subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
        let predicates = Array(subpredicates)
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.CombinedPredicates(.any, predicates, of: repeat each variable)
        }
    }
}
