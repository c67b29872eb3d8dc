// What is called: tests of text, closures over the members of a to-many relationship, aggregates.

extension FilterParser {
    /// A function by name; nil where the name is none, and is a property then.
    mutating func call(_ name: String) throws(FilterError) -> FilterExpression? {
        if let function = FilterAggregate.Function(rawValue: name) {
            advance()
            advance()
            return try aggregate(function)
        }
        switch name {
        case "length":
            let arguments = try arguments(count: 1)
            return .length(arguments[0])
        case "coalesce", "ifnull":
            let arguments = try arguments(count: 2)
            return .coalesce(arguments[0], arguments[1])
        case "iif":
            let arguments = try arguments(count: 3)
            return .choice(arguments[0], arguments[1], arguments[2])
        case "now", "date", "time", "datetime", "julianday", "unixepoch", "strftime", "Date":
            throw .syntax(
                column: current.column, found: "\(name)(",
                expected: "a date in quotes: what depends on the clock would change without an edit, and helpers would not be told")
        default:
            throw .syntax(
                column: current.column, found: "\(name)(", expected: "a property, or one of \(Self.functions.joined(separator: ", "))")
        }
    }

    private static let functions = FilterAggregate.Function.allCases.map(\.rawValue) + ["length", "coalesce", "iif"]

    private mutating func arguments(count: Int) throws(FilterError) -> [FilterExpression] {
        advance()
        advance()
        var arguments: [FilterExpression] = []
        repeat { arguments.append(try filter()) } while take(",") && arguments.count < count
        guard arguments.count == count else { throw unexpected("\(count) values") }
        guard take(")") else { throw unexpected(")") }
        return arguments
    }

    private mutating func aggregate(_ function: FilterAggregate.Function) throws(FilterError) -> FilterExpression {
        var origin = bareDepth
        if case .name(let name) = current.kind, next.kind == .symbol("."), let depth = depth(of: name) {
            advance()
            advance()
            origin = depth
        }
        let path = FilterPath(depth: origin, try plainPath())
        let depth = (variables.map(\.depth).max() ?? 0) + 1
        var order: [String] = []
        if take(name: "by") { order = try plainPath() }
        let isOrdered = function == .earliest || function == .latest
        guard isOrdered != order.isEmpty else { throw unexpected(isOrdered ? "by and a property" : "where or )") }
        var condition: FilterExpression?
        if take(name: "where") { condition = try body(named: "m\(depth)", depth: depth, bare: depth) }
        guard take(")") else { throw unexpected(order.isEmpty && !isOrdered ? "where or )" : ")") }
        return .aggregate(FilterAggregate(function, of: FilterMembers(path, depth: depth, where: condition), by: order))
    }

    private mutating func body(named name: String, depth: Int, bare: Int) throws(FilterError) -> FilterExpression {
        let before = bareDepth
        variables.append((name, depth))
        bareDepth = bare
        defer {
            variables.removeLast()
            bareDepth = before
        }
        return try filter()
    }

    // MARK: Methods

    mutating func called(_ method: String, on operand: Operand) throws(FilterError) -> Operand {
        let start = current
        advance()
        if current.kind == .symbol("{") || isWhereClosure { return try closure(method, on: operand, at: start) }
        advance()
        guard case .value(let value) = operand else { throw unexpected("a closure") }
        if method == "starts" {
            guard take(name: "with"), take(":") else { throw unexpected("with:") }
        }
        guard let test = Self.textTests[method] else {
            throw .syntax(column: start.column, found: method, expected: "one of \(Self.textTests.keys.sorted().joined(separator: ", "))")
        }
        if case .integer = current.kind { throw unexpected("a text in quotes") }
        if case .number = current.kind { throw unexpected("a text in quotes") }
        let argument = try self.value()
        guard take(")") else { throw unexpected(")") }
        return .value(try compared(.text(value, test, argument), test))
    }

    private static let textTests: [String: FilterExpression.TextTest] = [
        "contains": .contains, "hasPrefix": .hasPrefix, "starts": .hasPrefix, "hasSuffix": .hasSuffix,
        "localizedStandardContains": .localizedStandardContains, "caseInsensitiveCompare": .caseInsensitiveCompare,
    ]

    /// `.caseInsensitiveCompare(…) == .orderedSame`.
    private mutating func compared(_ test: FilterExpression, _ kind: FilterExpression.TextTest) throws(FilterError) -> FilterExpression {
        guard kind == .caseInsensitiveCompare, case .symbol(let symbol) = current.kind, next.kind == .symbol("."),
            let comparison = RowFilter.Comparison(rawValue: symbol)
        else { return test }
        advance()
        advance()
        for (name, value) in [("orderedAscending", -1), ("orderedSame", 0), ("orderedDescending", 1)] where take(name: name) {
            return .comparison(test, comparison, .literal(.integer(Int64(value))))
        }
        throw unexpected("orderedAscending, orderedSame or orderedDescending")
    }

    /// `(where: { … })`.
    private var isWhereClosure: Bool { current.kind == .symbol("(") && next.kind == .name("where") }

    private mutating func closure(_ method: String, on operand: Operand, at start: FilterToken) throws(FilterError) -> Operand {
        let isInBrackets = isWhereClosure
        if isInBrackets {
            advance()
            advance()
            guard take(":") else { throw unexpected(":") }
        }
        guard take("{") else { throw unexpected("{") }
        let depth = (variables.map(\.depth).max() ?? 0) + 1
        var name = "$0"
        if case .name(let parameter) = current.kind, next.kind == .name("in") {
            name = parameter
            advance()
            advance()
        }
        // The names of the row that the filter is about stay bare, as they do in Swift for whoever captures them.
        let condition = try body(named: name, depth: depth, bare: bareDepth)
        guard take("}") else { throw unexpected("&&, || or }") }
        if isInBrackets, !take(")") { throw unexpected(")") }
        var members: FilterMembers
        switch operand {
        case .value(.path(let path)): members = FilterMembers(path, depth: depth, where: condition)
        case .members(var filtered):
            filtered.condition = filtered.condition.map { .and($0, condition) } ?? condition
            members = filtered
        case .value: throw .syntax(column: start.column, found: method, expected: "a to-many relationship in front of it")
        }
        switch method {
        case "contains": return .value(.some(members))
        case "allSatisfy":
            if case .members(let filtered) = operand, let outer = filtered.condition {
                members.condition = .or(.not(outer), condition)
            }
            return .value(.all(members))
        case "filter": return .members(members)
        default: throw .syntax(column: start.column, found: method, expected: "contains, allSatisfy or filter")
        }
    }
}
