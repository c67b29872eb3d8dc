// The state of one translation: what the variables of a predicate stand for, which tables it looks at, which expressions are known not to
// be nil. How the parts are put together is in the files beside this one; what each node means is in the node's own file under
// `Expressions`.

import Foundation
import SluiceSchema
import SluiceSQLite

/// Translates the predicate of one fetch.
final class PredicateTranslator {
    let schema: ContainerSchema
    /// Closures that the statement calls. They must live as long as it runs.
    let calls = SwiftCalls()
    /// Tables looked at besides the fetched class's own: `EntityBinding.tableID`.
    private(set) var visited: Set<Int> = []
    /// The values of variables that stand for constants.
    private(set) var constants = PredicateBindings()

    private var variables: [PredicateExpressions.VariableID: SQLTerm] = [:]
    private var aliasCount = 0
    private var aliases: [SQLFragment: String] = [:]
    private var present: Set<SQLFragment> = []

    init(_ schema: ContainerSchema) { self.schema = schema }

    // MARK: Nodes

    /// - Throws: `SwiftDataError.unsupportedPredicate` where a node has no counterpart in SQL.
    func term(_ expression: any PredicateExpression) throws -> SQLTerm {
        guard let node = expression as? any TranslatableExpression else {
            throw SwiftDataError.untranslatable(
                "\(Self.name(of: expression)), an expression of another module,", "put the predicate together from Foundation's expressions")
        }
        return try node.term(in: self)
    }

    /// - Throws: as `term(_:)`, and where the expression is nothing that holds or does not.
    func condition(_ expression: some PredicateExpression<Bool>) throws -> Condition { try condition(term(expression)) }

    func condition(_ term: SQLTerm) throws -> Condition {
        switch term {
        case .condition(let condition): return condition
        case .constant(let value):
            guard let value = value as? Bool else { throw SwiftDataError.untranslatable("a \(type(of: value)) as a condition", "compare it") }
            return Condition(value)
        default:
            let value = try value(term, as: Bool.self, comparedBy: .boolean)
            return Condition("(\(value.sql) = 1)", opposite: "(\(value.sql) = 0)", isOppositeTotal: false)
        }
    }

    private static func name(of expression: any PredicateExpression) -> String {
        String(describing: type(of: expression)).prefix { $0 != "<" }.description
    }

    // MARK: Variables

    func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to term: SQLTerm) {
        variables[variable.key] = term
        if case .constant(let constant) = term, let value = constant as? Value { constants[variable] = value }
    }

    /// - Throws: `SwiftDataError.unsupportedPredicate` for a variable that no closure around it has.
    func term(of key: PredicateExpressions.VariableID) throws -> SQLTerm {
        guard let term = variables[key] else {
            throw SwiftDataError.untranslatable("a variable of another predicate", "use the variable of the closure it stands in")
        }
        return term
    }

    // MARK: Tables

    func newAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    /// One name for each row that is looked at by its key, so that one expression is always written the same way.
    func alias(ofRowAt key: SQLFragment) -> String {
        if let alias = aliases[key] { return alias }
        let alias = newAlias()
        aliases[key] = alias
        return alias
    }

    func visit(_ table: Int) { visited.insert(table) }

    /// The tables that are looked at in `body`.
    func visits(in body: () throws -> Void) rethrows -> Set<Int> {
        let before = visited
        visited = []
        defer { visited.formUnion(before) }
        try body()
        return visited
    }

    // MARK: What is not nil

    func isPresent(_ sql: SQLFragment) -> Bool { present.contains(sql) }

    /// Runs `body` where some expressions are known not to be nil.
    func assuming<Result>(_ known: Set<SQLFragment>, _ body: () throws -> Result) rethrows -> Result {
        let before = present
        present.formUnion(known)
        defer { present = before }
        return try body()
    }
}
