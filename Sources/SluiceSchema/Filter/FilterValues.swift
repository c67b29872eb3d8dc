// Values of expressions in SQL: properties, arithmetic, text, aggregates.

import SluiceSQLite

extension FilterTranslation {
    /// The value of an expression; a condition is a boolean.
    mutating func term(_ expression: FilterExpression) throws(FilterError) -> FilterTerm {
        let term = try unbounded(expression)
        try FilterBounds.check(term.sql)
        try FilterBounds.check(term.comparison)
        return term
    }

    private mutating func unbounded(_ expression: FilterExpression) throws(FilterError) -> FilterTerm {
        switch expression {
        case .path(let path): return try term(at: path)
        case .literal(let literal):
            guard let kind = FilterTerm.Kind(literal) else {
                throw .wrongType(property: "nil", expected: "a value beside it that says its type", found: "nil")
            }
            return try self.literal(literal, as: kind)
        case .arithmetic(let left, let operation, let right): return try arithmetic(left, operation, right)
        case .coalesce(let value, let other):
            let value = try term(value)
            let (first, second) = try unified(value, term(other, like: value))
            return FilterTerm(
                "coalesce(\(first.sql), \(second.sql))", comparison: "coalesce(\(first.comparison), \(second.comparison))", kind: first.kind,
                name: "\(expression)")
        case .choice(let test, let first, let second): return try choice(test, first, second, name: "\(expression)")
        case .length(let value):
            let text = try self.text(value)
            return FilterTerm("\(sql: FilterFunctions.count)(\(text.comparison))", kind: .attribute(.int64), name: "\(expression)")
        case .text(let value, .caseInsensitiveCompare, let other):
            let (value, other) = (try text(value), try text(other))
            return FilterTerm(
                "\(sql: FilterFunctions.compare)(\(value.comparison), \(other.comparison))", kind: .attribute(.int64), name: "\(expression)")
        case .aggregate(let aggregate): return try self.aggregate(aggregate)
        default:
            return FilterTerm("coalesce(\(try condition(expression)), 0)", kind: .attribute(.boolean), name: "\(expression)")
        }
    }

    private func literal(_ literal: RowFilter.Literal, as kind: FilterTerm.Kind) throws(FilterError) -> FilterTerm {
        let form = FilterTerm("?", kind: kind, name: literal.description)
        return FilterTerm(form.placeholder(try form.value(of: literal)), kind: kind, name: literal.description)
    }

    /// The value of an expression beside another, which says what a literal is.
    private mutating func term(_ expression: FilterExpression, like other: FilterTerm) throws(FilterError) -> FilterTerm {
        guard case .literal(let literal) = expression else { return try term(expression) }
        if literal == .null { return FilterTerm("NULL", kind: other.kind, name: "nil") }
        if other.kind.isNumber, let kind = FilterTerm.Kind(literal), kind.isNumber { return try self.literal(literal, as: kind) }
        let form = FilterTerm("?", kind: other.kind, name: other.name)
        return FilterTerm(
            form.placeholder(try form.value(of: literal)), comparison: form.placeholder(try form.compared(literal)), kind: other.kind,
            name: literal.description)
    }

    /// Two values of one kind; numbers become doubles where one of them is.
    private func unified(_ first: FilterTerm, _ second: FilterTerm) throws(FilterError) -> (FilterTerm, FilterTerm) {
        if first.kind == second.kind { return (first, second) }
        guard first.kind.isNumber, second.kind.isNumber else {
            throw .wrongType(property: first.name, expected: first.expectation, found: "\(second.name), \(second.expectation)")
        }
        let kind = FilterTerm.Kind.attribute(first.kind.isInteger && second.kind.isInteger ? .int64 : .double)
        func widened(_ term: FilterTerm) -> FilterTerm {
            let sql: SQLFragment = kind.isReal && term.kind.isInteger ? "CAST(\(term.sql) AS REAL)" : term.sql
            return FilterTerm(sql, kind: kind, name: term.name)
        }
        return (widened(first), widened(second))
    }

    private mutating func choice(
        _ test: FilterExpression, _ first: FilterExpression, _ second: FilterExpression, name: String
    ) throws(FilterError) -> FilterTerm {
        let test = try condition(test)
        let (one, other): (FilterTerm, FilterTerm)
        if case .literal = first {
            if case .literal(.null) = second {
                one = try term(first)
                other = try term(second, like: one)
            } else {
                other = try term(second)
                one = try term(first, like: other)
            }
        } else {
            one = try term(first)
            other = try term(second, like: one)
        }
        let (left, right) = try unified(one, other)
        return FilterTerm(
            "iif(\(test), \(left.sql), \(right.sql))", comparison: "iif(\(test), \(left.comparison), \(right.comparison))", kind: left.kind,
            name: name)
    }

    // MARK: Paths

    private mutating func term(at path: FilterPath) throws(FilterError) -> FilterTerm {
        guard var row = row(atDepth: path.depth) else { throw .unknownProperty(path.names[0], entity: "nothing", known: []) }
        let name = path.dotted
        for (index, step) in path.names.enumerated() {
            let rest = Array(path.names[(index + 1)...])
            if let attribute = attribute(step, of: row, path: name) {
                return rest.isEmpty ? attribute : try property(rest, of: attribute)
            }
            let (link, destination) = try link(step, of: row)
            if link.relationship.isToMany {
                let members = FilterMembers(
                    FilterPath(depth: path.depth, Array(path.names[...index])), depth: nextDepth)
                if rest == ["count"] { return try term(.aggregate(FilterAggregate(.count, of: members))) }
                if rest == ["isEmpty"] { return try term(.not(.some(members))) }
                throw .unsupported(property: step, reason: "it leads to many rows: count them, or say \(step).contains { … }")
            }
            row = try follow(link, to: destination, from: row)
            if rest.isEmpty {
                return FilterTerm(row.key, kind: .reference(table: layout.table(of: destination)), name: name)
            }
        }
        throw .unknownProperty(name, entity: row.entity.name, known: [])
    }

    /// `count` and `isEmpty` of a text.
    private func property(_ rest: [String], of term: FilterTerm) throws(FilterError) -> FilterTerm {
        guard term.type == .string, rest == ["count"] || rest == ["isEmpty"] else {
            throw .unknownProperty(rest[0], entity: term.name, known: term.type == .string ? ["count", "isEmpty"] : [])
        }
        if rest == ["count"] {
            return FilterTerm("\(sql: FilterFunctions.count)(\(term.comparison))", kind: .attribute(.int64), name: term.name + ".count")
        }
        return FilterTerm("(\(term.sql) = '')", kind: .attribute(.boolean), name: term.name + ".isEmpty")
    }

    // MARK: Text

    private mutating func text(_ expression: FilterExpression) throws(FilterError) -> FilterTerm {
        let term = try term(expression)
        guard term.type == .string || term.type == .url else { throw .unsupported(property: term.name, reason: "only text is searched") }
        return term
    }

    mutating func textTest(
        _ value: FilterExpression, _ test: FilterExpression.TextTest, _ other: FilterExpression
    ) throws(FilterError) -> SQLFragment {
        let (value, other) = (try text(value), try text(other))
        switch test {
        case .contains: return "(\(sql: FilterFunctions.contains)(\(value.comparison), \(other.comparison)))"
        case .hasPrefix: return "(\(sql: FilterFunctions.starts)(\(value.comparison), \(other.comparison)))"
        case .hasSuffix: return "(\(sql: FilterFunctions.ends)(\(value.comparison), \(other.comparison)))"
        case .localizedStandardContains: return "(\(sql: FilterFunctions.search)(\(value.sql), \(other.sql)))"
        case .like: return "(\(value.comparison) LIKE \(other.comparison))"
        case .caseInsensitiveCompare:
            throw .wrongType(property: value.name, expected: "a comparison with .orderedSame", found: "caseInsensitiveCompare alone")
        }
    }

    // MARK: Numbers and dates

    private mutating func arithmetic(
        _ left: FilterExpression, _ operation: FilterExpression.Arithmetic, _ right: FilterExpression
    ) throws(FilterError) -> FilterTerm {
        let name = "\(FilterExpression.arithmetic(left, operation, right))"
        let (one, other): (FilterTerm, FilterTerm)
        if case .literal(.text) = left {
            other = try term(right)
            one = try term(left, like: other)
        } else {
            one = try term(left)
            if case .literal(.text) = right { other = try term(right, like: one) } else { other = try term(right) }
        }
        let number: Int64 =
            switch operation {
            case .add: ArithmeticOperation.add.rawValue
            case .subtract: ArithmeticOperation.subtract.rawValue
            case .multiply: ArithmeticOperation.multiply.rawValue
            case .divide: ArithmeticOperation.divide.rawValue
            case .remainder: ArithmeticOperation.remainder.rawValue
            }
        func real(_ type: AttributeType) -> FilterTerm {
            FilterTerm(
                "\(sql: FilterFunctions.real)(\(bind: .integer(number)), \(one.sql), \(other.sql))", kind: .attribute(type), name: name)
        }
        let date = FilterTerm.Kind.attribute(.date)
        switch (one.kind, other.kind) {
        case let (first, second) where first.isInteger && second.isInteger:
            return FilterTerm(
                "\(sql: FilterFunctions.integer)(\(bind: .integer(number)), \(one.sql), \(other.sql))", kind: .attribute(.int64), name: name)
        case let (first, second) where first.isNumber && second.isNumber: return real(.double)
        // Dates are seconds.
        case let (first, second) where first == date && second.isNumber && (operation == .add || operation == .subtract): return real(.date)
        case let (first, second) where first.isNumber && second == date && operation == .add: return real(.date)
        case (date, date) where operation == .subtract: return real(.double)
        default:
            throw .wrongType(property: one.name, expected: "numbers, or a date and seconds", found: "\(one.expectation) and \(other.expectation)")
        }
    }
}
