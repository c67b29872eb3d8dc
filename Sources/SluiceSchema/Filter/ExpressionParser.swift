// Values: literals, paths, arithmetic, and what is called on them.

extension FilterParser {
    mutating func value() throws(FilterError) -> FilterExpression {
        var expression = try sum()
        var count = 0
        while take("??") {
            count += 1
            try FilterBounds.check(operators: count)
            expression = .coalesce(expression, try sum())
        }
        return expression
    }

    private mutating func sum() throws(FilterError) -> FilterExpression {
        var expression = try product()
        var count = 0
        while true {
            try FilterBounds.check(operators: count)
            count += 1
            if take("+") {
                expression = .arithmetic(expression, .add, try product())
            } else if take("-") {
                expression = .arithmetic(expression, .subtract, try product())
            } else if isNegativeNumber {
                // `a -3` has no operator of its own: the number brings the sign along.
                expression = .arithmetic(expression, .add, try product())
            } else {
                return expression
            }
        }
    }

    private var isNegativeNumber: Bool {
        switch current.kind {
        case .integer(let value): value < 0
        case .number(let value): value < 0
        default: false
        }
    }

    private mutating func product() throws(FilterError) -> FilterExpression {
        var expression = try operand()
        var count = 0
        while true {
            try FilterBounds.check(operators: count)
            count += 1
            if take("*") {
                expression = .arithmetic(expression, .multiply, try operand())
            } else if take("/") {
                expression = .arithmetic(expression, .divide, try operand())
            } else if take("%") {
                expression = .arithmetic(expression, .remainder, try operand())
            } else {
                return expression
            }
        }
    }

    private mutating func operand() throws(FilterError) -> FilterExpression {
        try enter()
        defer { leave() }
        if take("-") { return .arithmetic(.literal(.integer(0)), .subtract, try operand()) }
        if let literal = takeLiteral() { return try continued(.value(.literal(literal))) }
        if current.kind == .symbol("[") { return try listSearch() }
        if take("(") { return try parenthesis() }
        return try continued(try named())
    }

    private mutating func parenthesis() throws(FilterError) -> FilterExpression {
        let inner = try filter()
        let isClosed = take("...")
        if isClosed || take("..<") {
            let upper = try value()
            guard take(")"), take("."), take(name: "contains"), take("(") else { throw unexpected(").contains(…)") }
            let tested = try value()
            guard take(")") else { throw unexpected(")") }
            try FilterBounds.check(repeated: tested)
            return .and(.comparison(tested, .greaterOrEqual, inner), .comparison(tested, isClosed ? .lessOrEqual : .less, upper))
        }
        guard take(")") else { throw unexpected("&&, || or )") }
        return try continued(.value(inner))
    }

    /// `[1, 2].contains(x)`.
    private mutating func listSearch() throws(FilterError) -> FilterExpression {
        let literals = try list()
        guard take("."), take(name: "contains"), take("(") else { throw unexpected(".contains(…)") }
        let tested = try value()
        guard take(")") else { throw unexpected(")") }
        return .membership(tested, literals)
    }

    // MARK: Paths

    /// What an operand is while more may follow: the members of a to-many relationship are no value yet.
    enum Operand {
        case value(FilterExpression)
        case members(FilterMembers)
    }

    /// Takes the name of a property that is not a word of the language.
    private mutating func takeProperty() throws(FilterError) -> String {
        switch current.kind {
        case .quotedName(let name):
            advance()
            return name
        case .name(let name) where !FilterWords.reserved.contains(name) || (name == "not" || name == "null"):
            advance()
            return name
        default: throw unexpected("the name of a property")
        }
    }

    private mutating func named() throws(FilterError) -> Operand {
        let start = current
        if case .name(let name) = current.kind {
            if next.kind == .symbol("("), let call = try call(name) { return .value(call) }
            if let depth = depth(of: name), next.kind == .symbol(".") {
                advance()
                advance()
                return .value(.path(FilterPath(depth: depth, [try takeProperty()])))
            }
        }
        do {
            return .value(.path(FilterPath(depth: bareDepth, [try takeProperty()])))
        } catch {
            throw .syntax(column: start.column, found: start.spelling, expected: "the name of a property")
        }
    }

    /// The row that a name in front of a dot stands for.
    func depth(of name: String) -> Int? {
        if let variable = variables.last(where: { $0.name == name }) { return variable.depth }
        if name == "self" { return 0 }
        // A predicate's own closure, as it stands in a program.
        return name == "$0" ? variables.last?.depth ?? 0 : nil
    }

    mutating func plainPath() throws(FilterError) -> [String] {
        var names: [String] = []
        repeat {
            names.append(try takeProperty())
            if current.kind == .symbol("?") { advance() }
        } while take(".")
        return names
    }

    /// Reads what follows an operand.
    private mutating func continued(_ start: Operand) throws(FilterError) -> FilterExpression {
        var operand = start
        while true {
            if current.kind == .symbol("!") || (current.kind == .symbol("?") && next.kind == .symbol(".")) {
                advance()
                continue
            }
            guard take(".") else { break }
            if next.kind == .symbol("(") || next.kind == .symbol("{"), case .name(let method) = current.kind {
                operand = try called(method, on: operand)
            } else {
                operand = try property(of: operand)
            }
        }
        guard case .value(let expression) = operand else { throw unexpected(".count, .isEmpty, .contains or .allSatisfy") }
        return expression
    }

    private mutating func property(of operand: Operand) throws(FilterError) -> Operand {
        let start = current
        let name = try takeProperty()
        switch (operand, name) {
        case (.value(.path(var path)), _):
            path.names.append(name)
            return .value(.path(path))
        case (.members(let members), "count"): return .value(.aggregate(FilterAggregate(.count, of: members)))
        case (.members(let members), "isEmpty"): return .value(.not(.some(members)))
        case (.value(let value), "count"): return .value(.length(value))
        case (.value(let value), "isEmpty"): return .value(.comparison(value, .equal, .literal(.text(""))))
        default: throw .syntax(column: start.column, found: name, expected: "count or isEmpty")
        }
    }
}
