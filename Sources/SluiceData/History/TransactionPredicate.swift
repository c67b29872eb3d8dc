// From a predicate's tree to a TransactionCondition. The nodes are Foundation's; each that has a counterpart here says so itself.

import Foundation

extension TransactionCondition {
    /// nil where the predicate has a part that this does not know.
    init?(_ predicate: Predicate<DefaultHistoryTransaction>) {
        guard let condition = (predicate.expression as? any TransactionConditionExpression)?.transactionCondition else { return nil }
        self = condition
    }

    /// A comparison of a property with a constant, on whichever side each stands.
    fileprivate init?(_ left: Any, _ relation: Relation, _ right: Any) {
        guard let left = left as? any TransactionOperand, let right = right as? any TransactionOperand else { return nil }
        if let property = left.transactionProperty, let value = right.transactionConstant {
            self.init(property: property, relation, value.value)
        } else if let property = right.transactionProperty, let value = left.transactionConstant {
            self.init(property: property, relation.mirrored, value.value)
        } else {
            return nil
        }
    }

    private init?(property: AnyKeyPath, _ relation: Relation, _ value: Any?) {
        switch (property, value) {
        case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken): self = .token(relation, token)
        case (\DefaultHistoryTransaction.timestamp, let date as Date): self = .timestamp(relation, date)
        case (\DefaultHistoryTransaction.storeIdentifier, let store as String): self = .store(relation, store)
        case (\DefaultHistoryTransaction.transactionIdentifier, let number as Int64): self = .identifier(relation, number)
        case (\DefaultHistoryTransaction.id, let number as Int64): self = .identifier(relation, number)
        case (\DefaultHistoryTransaction.author, let author as String?):
            // Authors have no order worth asking for.
            guard relation == .equal || relation == .unequal else { return nil }
            self = .author(relation, author)
        default: return nil
        }
    }
}

/// A node that is a condition.
private protocol TransactionConditionExpression {
    var transactionCondition: TransactionCondition? { get }
}

/// A value that is known, nil included.
private struct TransactionConstant {
    let value: Any?
}

/// A node that is one side of a comparison.
private protocol TransactionOperand {
    /// The property of a transaction that the node reads.
    var transactionProperty: AnyKeyPath? { get }
    var transactionConstant: TransactionConstant? { get }
}

extension PredicateExpressions.KeyPath: TransactionOperand {
    fileprivate var transactionProperty: AnyKeyPath? { root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil }

    /// `values.last.token`, where `values` was captured.
    fileprivate var transactionConstant: TransactionConstant? {
        guard let base = (root as? any TransactionOperand)?.transactionConstant, let value = base.value as? Root.Output else { return nil }
        return TransactionConstant(value: value[keyPath: keyPath])
    }
}

extension PredicateExpressions.Value: TransactionOperand {
    fileprivate var transactionProperty: AnyKeyPath? { nil }
    fileprivate var transactionConstant: TransactionConstant? { TransactionConstant(value: value) }
}

extension PredicateExpressions.NilLiteral: TransactionOperand {
    fileprivate var transactionProperty: AnyKeyPath? { nil }
    fileprivate var transactionConstant: TransactionConstant? { TransactionConstant(value: nil) }
}

extension PredicateExpressions.Value: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? { (value as? Bool).map(TransactionCondition.constant) }
}

extension PredicateExpressions.Conjunction: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? {
        guard let left = (lhs as? any TransactionConditionExpression)?.transactionCondition,
            let right = (rhs as? any TransactionConditionExpression)?.transactionCondition
        else { return nil }
        return .all([left, right])
    }
}

extension PredicateExpressions.Disjunction: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? {
        guard let left = (lhs as? any TransactionConditionExpression)?.transactionCondition,
            let right = (rhs as? any TransactionConditionExpression)?.transactionCondition
        else { return nil }
        return .any([left, right])
    }
}

extension PredicateExpressions.Negation: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? {
        (wrapped as? any TransactionConditionExpression)?.transactionCondition.map(TransactionCondition.not)
    }
}

extension PredicateExpressions.Equal: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? { TransactionCondition(lhs, .equal, rhs) }
}

extension PredicateExpressions.NotEqual: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? { TransactionCondition(lhs, .unequal, rhs) }
}

extension PredicateExpressions.Comparison: TransactionConditionExpression {
    fileprivate var transactionCondition: TransactionCondition? {
        switch op {
        case .lessThan: TransactionCondition(lhs, .less, rhs)
        case .lessThanOrEqual: TransactionCondition(lhs, .lessOrEqual, rhs)
        case .greaterThan: TransactionCondition(lhs, .greater, rhs)
        case .greaterThanOrEqual: TransactionCondition(lhs, .greaterOrEqual, rhs)
        @unknown default: nil
        }
    }
}
