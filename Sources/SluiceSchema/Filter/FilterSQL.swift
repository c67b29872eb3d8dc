// Expressions as SQL over the column layout. SQL has three truth values and Swift has two: a condition on nil is NULL here, counts as false
// wherever a row is selected, and is made a plain false before it is negated (`AND` and `OR` of NULLs agree with that). Literals are bound,
// never written into the text; only names of tables and columns are. What SQL says otherwise than Swift is said by `FilterFunctions`.

import SluiceSQLite

/// Turns expressions over one entity into SQL, and notes what they look at. The rows' table has the alias `t`.
struct FilterTranslation {
    let layout: StoredSchema
    /// The rows in sight, by depth. Few, as is what was seen: lists, since a dictionary of a type of one's own costs a helper more at its start
    /// than the searches do.
    private var rows: [(depth: Int, row: FilterRow)]
    private var seen: [(hops: [FilterHop], columns: [Int])] = []
    private var aliasCount = 0

    init(layout: StoredSchema, entity: StoredEntity) {
        self.layout = layout
        rows = [(0, FilterRow(entity: entity, key: "t._pk", alias: "t", hops: []))]
    }

    /// What was looked at besides the row itself, in a fixed order.
    var dependencies: [FilterDependency] {
        seen.filter { !$0.hops.isEmpty }.map { FilterDependency(hops: $0.hops, columns: Set($0.columns)) }.sorted { "\($0.hops)" < "\($1.hops)" }
    }

    mutating func record(_ hops: [FilterHop], _ column: Int?) {
        let position = seen.firstIndex { $0.hops == hops } ?? seen.count
        if position == seen.count { seen.append((hops, [])) }
        if let column, !seen[position].columns.contains(column) { seen[position].columns.append(column) }
    }

    /// The row that a path at this depth begins with; nil where none is in sight.
    func row(atDepth depth: Int) -> FilterRow? { rows.first { $0.depth == depth }?.row }

    /// A depth that no row in sight has.
    var nextDepth: Int { (rows.map(\.depth).max() ?? 0) + 1 }

    private mutating func enter(_ row: FilterRow, atDepth depth: Int) {
        rows.removeAll { $0.depth == depth }
        rows.append((depth, row))
    }

    mutating func newAlias() -> String {
        aliasCount += 1
        return "t\(aliasCount)"
    }

    // MARK: Conditions

    /// In brackets; NULL where it does not hold.
    /// - Throws: `FilterError`; `tooLarge` before the text grows beyond what anybody runs.
    mutating func condition(_ expression: FilterExpression) throws(FilterError) -> SQLFragment {
        let sql = try unbounded(expression)
        try FilterBounds.check(sql)
        return sql
    }

    /// One bracket for a whole chain: SQLite's parser holds each bracket.
    private mutating func chain(_ expression: FilterExpression, byAnd isAnd: Bool) throws(FilterError) -> SQLFragment {
        let links = expression.chained(byAnd: isAnd)
        try FilterBounds.check(chain: links.count)
        var conditions: [SQLFragment] = []
        for link in links { conditions.append(try condition(link)) }
        return "(\(conditions.joined(by: isAnd ? " AND " : " OR ")))"
    }

    private mutating func unbounded(_ expression: FilterExpression) throws(FilterError) -> SQLFragment {
        switch expression {
        case .and: return try chain(expression, byAnd: true)
        case .or: return try chain(expression, byAnd: false)
        case .not(let inner): return "(coalesce(\(try condition(inner)), 0) = 0)"
        case .comparison(let left, let comparison, let right): return try self.comparison(left, comparison, right)
        case .membership(let value, let literals): return try membership(value, literals)
        case .text(let value, let test, let other) where test != .caseInsensitiveCompare: return try textTest(value, test, other)
        case .some(let members):
            let (source, condition) = try source(of: members)
            return "(EXISTS (SELECT 1 FROM \(source.from) WHERE \(source.condition)\(condition)))"
        case .all(let members):
            let (source, _) = try source(of: FilterMembers(members.path, depth: members.depth))
            enter(source.member, atDepth: members.depth)
            let condition = try members.condition.map { expression throws(FilterError) in try self.condition(expression) } ?? "1"
            let none: SQLFragment = "NOT EXISTS (SELECT 1 FROM \(source.from) WHERE \(source.condition) AND coalesce(\(condition), 0) = 0)"
            return source.hasOwner ? "(\(none))" : "(\(source.owner.key) IS NOT NULL AND \(none))"
        default:
            let term = try term(expression)
            guard term.kind == .attribute(.boolean) else {
                throw .wrongType(property: term.name, expected: "a condition", found: "\(term.expectation)")
            }
            return "(\(term.sql) = 1)"
        }
    }

    private mutating func comparison(
        _ left: FilterExpression, _ comparison: RowFilter.Comparison, _ right: FilterExpression
    ) throws(FilterError) -> SQLFragment {
        if case .literal(let literal) = right { return try compare(try term(left), comparison, literal) }
        if case .literal(let literal) = left { return try compare(try term(right), comparison.mirrored, literal) }
        let (left, right) = (try term(left), try term(right))
        guard left.kind.compares(with: right.kind) else {
            throw .wrongType(property: left.name, expected: left.expectation, found: "\(right.name), \(right.expectation)")
        }
        if comparison == .equal || comparison == .notEqual { return try equality(left, right, isNegated: comparison == .notEqual) }
        try left.requireOrder()
        try right.requireOrder()
        return ordered(left, comparison, right.comparison, mayHoldNaN: right.mayHoldNaN)
    }

    /// A NaN stands in the column as text, and SQLite finds every text greater than every number.
    private func ordered(
        _ left: FilterTerm, _ comparison: RowFilter.Comparison, _ right: SQLFragment, mayHoldNaN: Bool
    ) -> SQLFragment {
        let isLeftGreater = comparison == .greater || comparison == .greaterOrEqual
        let greater = isLeftGreater ? left.comparison : right
        let test: SQLFragment = "\(left.comparison) \(sql: comparison.rawValue) \(right)"
        return (isLeftGreater ? left.mayHoldNaN : mayHoldNaN) ? "(\(test) AND typeof(\(greater)) <> 'text')" : "(\(test))"
    }

    private func equality(_ left: FilterTerm, _ right: FilterTerm, isNegated: Bool) throws(FilterError) -> SQLFragment {
        if let type = left.type, type.isBytes {
            throw .unsupported(property: left.name, reason: "values of this type are compared with nil only")
        }
        let (one, other) = (left.comparison, right.comparison)
        // A NaN equals nothing, not even itself; one that is text equals no number anyway.
        guard left.mayHoldNaN, right.mayHoldNaN else { return "(\(one) \(sql: isNegated ? "IS NOT" : "IS") \(other))" }
        return isNegated
            ? "(\(one) IS NOT \(other) OR typeof(\(one)) = 'text')" : "(\(one) IS \(other) AND typeof(\(one)) <> 'text')"
    }

    private func compare(
        _ term: FilterTerm, _ comparison: RowFilter.Comparison, _ literal: RowFilter.Literal
    ) throws(FilterError) -> SQLFragment {
        if literal == .null {
            switch comparison {
            case .equal: return "(\(term.comparison) IS NULL)"
            case .notEqual: return "(\(term.comparison) IS NOT NULL)"
            default: throw .wrongType(property: term.name, expected: "a value: nil has no order", found: "nil")
            }
        }
        let value = try term.compared(literal)
        if comparison != .equal, comparison != .notEqual { try term.requireOrder() }
        switch comparison {
        case .equal: return "(\(term.comparison) = \(term.placeholder(value)))"
        // NaN and nil differ from every value; `IS NOT` says so where `<>` says NULL.
        case .notEqual: return "(\(term.comparison) IS NOT \(term.placeholder(value)))"
        default: return ordered(term, comparison, "\(bind: value)", mayHoldNaN: false)
        }
    }

    private mutating func membership(_ value: FilterExpression, _ literals: [RowFilter.Literal]) throws(FilterError) -> SQLFragment {
        let term = try term(value)
        var values: [SQLFragment] = []
        for literal in literals where literal != .null { values.append(term.placeholder(try term.compared(literal))) }
        let isAbsent: SQLFragment? = literals.contains(.null) ? "\(term.comparison) IS NULL" : nil
        if values.isEmpty { return isAbsent.map { "(\($0))" } ?? "0" }
        let isThere: SQLFragment = "\(term.comparison) IN (\(values.joined(by: ", ")))"
        return isAbsent.map { "(\(isThere) OR \($0))" } ?? "(\(isThere))"
    }

    // MARK: Members

    /// The members, and what has to hold for them besides.
    mutating func source(of members: FilterMembers) throws(FilterError) -> (FilterSource, condition: SQLFragment) {
        let (source, rest) = try self.source(at: members.path)
        if let next = rest.first { throw .unknownProperty(next, entity: members.path.dotted, known: []) }
        return (source, try condition(of: members, source))
    }

    /// Follows a path to the members of its to-many relationship. Returns what of it is left.
    mutating func source(at path: FilterPath) throws(FilterError) -> (FilterSource, rest: ArraySlice<String>) {
        guard var row = row(atDepth: path.depth) else { throw .unknownProperty(path.names[0], entity: "nothing", known: []) }
        for (index, name) in path.names.enumerated() {
            let (link, destination) = try link(name, of: row)
            if link.relationship.isToMany { return (try members(of: link, to: destination, from: row), path.names[(index + 1)...]) }
            row = try follow(link, to: destination, from: row)
        }
        throw .unsupported(property: path.dotted, reason: "it leads to one row, and many are asked for")
    }

    mutating func condition(of members: FilterMembers, _ source: FilterSource) throws(FilterError) -> SQLFragment {
        enter(source.member, atDepth: members.depth)
        guard let condition = members.condition else { return "" }
        return " AND \(try self.condition(condition))"
    }

    // MARK: Order

    /// Terms of `ORDER BY`; the key comes last, so that the order is total.
    mutating func order(_ order: RowOrder) throws(FilterError) -> SQLFragment {
        var terms: [SQLFragment] = []
        for term in order.terms {
            let property = try self.term(.path(FilterPath(term.path.names)))
            try property.requireOrder()
            terms.append(term.isDescending ? "\(property.comparison) DESC" : property.comparison)
        }
        let sql = (terms + ["t._pk"]).joined(by: ", ")
        try FilterBounds.checkDepth(sql)
        return sql
    }
}

extension RowFilter.Comparison {
    /// The same with its sides exchanged.
    fileprivate var mirrored: Self {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
