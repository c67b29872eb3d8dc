// Closures inside a predicate whose elements no table has: those of a captured collection, and those of a codable value.

import Foundation
import SluiceSQLite

extension PredicateTranslator {
    /// Elements that a captured collection may have where each is a condition of its own.
    private static let combinedCountMax = 500

    /// One condition for each element of a captured collection, put together.
    /// - Throws: `SwiftDataError.unsupportedPredicate` for more elements than a statement takes.
    func combine<Elements: Sequence>(
        _ elements: Elements, _ test: some PredicateExpression<Bool>, of variable: PredicateExpressions.Variable<Elements.Element>,
        startingWith start: Condition, _ combine: (Condition, Condition) -> Condition
    ) throws -> Condition {
        var (result, count) = (start, 0)
        for element in elements {
            bind(variable, to: .constant(element))
            result = combine(result, try condition(test))
            // What is decided stays so.
            if result.constant == !(start.constant ?? false) { return result }
            count += 1
            guard count <= Self.combinedCountMax else {
                throw SwiftDataError.untranslatable(
                    "a closure over a captured collection of more than \(Self.combinedCountMax) elements", "use contains(_:), or fetch in parts")
            }
        }
        return result
    }

    /// What `body` makes of the elements of a codable value and a test of one of them, which runs in Swift.
    /// - Throws: `SwiftDataError.unsupportedPredicate` where the test looks at a row, or could fail.
    func compute<Elements: Sequence, Output>(
        _ sequence: SQLTerm, using test: some PredicateExpression<Bool>, of variable: PredicateExpressions.Variable<Elements.Element>,
        _ body: @escaping (Elements, (Elements.Element) throws -> Bool) throws -> Output
    ) throws -> SQLTerm {
        try TestInspection(test, knowing: variable.key).check { key in if case .constant? = try? term(of: key) { true } else { false } }
        let constants = constants
        return try compute(sequence) { (elements: Elements) -> Output? in
            // Nothing that throws passes the check above.
            try? body(elements) { element in
                var bindings = constants
                bindings[variable] = element
                return try test.evaluate(bindings)
            }
        }
    }
}

/// What a closure looks at, found by reflection: the nodes are structs of nodes.
private struct TestInspection {
    private var used: Set<PredicateExpressions.VariableID> = []
    private var declared: Set<PredicateExpressions.VariableID>
    private var fault: String?

    init(_ test: any PredicateExpression, knowing variable: PredicateExpressions.VariableID) {
        declared = [variable]
        inspect(test)
    }

    private mutating func inspect(_ node: any PredicateExpression) {
        if let variable = node as? any VariableExpression { used.insert(variable.key) }
        if node is any FailingExpression { fault = "a forced unwrapping or cast in a closure over a codable value" }
        for child in Mirror(reflecting: node).children {
            if child.label == "variable", let variable = child.value as? any VariableExpression {
                declared.insert(variable.key)
            } else if let child = child.value as? any PredicateExpression {
                inspect(child)
            }
        }
    }

    func check(isConstant: (PredicateExpressions.VariableID) -> Bool) throws {
        if let fault { throw SwiftDataError.untranslatable(fault, "use ?., ?? or if let") }
        guard used.subtracting(declared).allSatisfy(isConstant) else {
            throw SwiftDataError.untranslatable(
                "a closure over a codable value that looks at the model's other properties", "make the value's elements a relationship")
        }
    }
}

/// `Variable`, whatever its type.
private protocol VariableExpression {
    var key: PredicateExpressions.VariableID { get }
}

extension PredicateExpressions.Variable: VariableExpression {}

/// A node that throws in memory for some values.
private protocol FailingExpression {}

extension PredicateExpressions.ForcedUnwrap: FailingExpression {}
extension PredicateExpressions.ForceCast: FailingExpression {}
extension PredicateExpressions.CollectionIndexSubscript: FailingExpression {}
extension PredicateExpressions.CollectionRangeSubscript: FailingExpression {}
