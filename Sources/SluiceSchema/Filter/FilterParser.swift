// The grammar, in Swift's spelling; SQL's words `and`, `or`, `not`, `=`, `<>`, `null`, `is null`, `is not null`, `between`, `not in` and round
// brackets around a list mean the same. `ExpressionParser` reads values, `MemberParser` what looks at many rows.
//
// filter      := conjunction { "||" conjunction }
// conjunction := term { "&&" term }
// term        := "!" term | condition
// condition   := value [ comparison value | "in" list | "is" "null" | "between" value "and" value | "like" value ] [ "?" filter ":" filter ]
// value       := sum { "??" sum }
// sum         := product { ( "+" | "-" ) product }
// product     := operand { ( "*" | "/" | "%" ) operand }
// operand     := literal | "(" filter ")" | path | call, each followed by { "." name | "." call }
// path        := [ variable "." ] name { [ "?" | "!" ] "." name }
// call        := name "(" … ")" | name "{" [ name "in" ] filter "}"

extension RowFilter {
    /// Reads a filter such as `isChecked == false && (price > 3 || list.title.contains("food"))`.
    /// - Throws: `FilterError.syntax` with the column where reading stopped.
    public init(parsing text: String) throws(FilterError) { self.init(try FilterExpression(parsing: text)) }
}

extension FilterExpression {
    /// Reads a condition or a value, such as `price * quantity` or `count(items where isChecked == false)`.
    /// - Throws: `FilterError.syntax` with the column where reading stopped.
    public init(parsing text: String) throws(FilterError) {
        var parser = try FilterParser(text)
        self = try parser.whole()
    }
}

extension RowOrder {
    /// Reads an order such as `price desc, list.title`.
    /// - Throws: `FilterError.syntax` with the column where reading stopped.
    public init(parsing text: String) throws(FilterError) {
        var parser = try FilterParser(text)
        self = try parser.order()
    }
}

/// Words that mean something where a name may stand.
enum FilterWords {
    static let reserved: Set<String> = ["true", "false", "nil", "null", "in", "not", "self"]
}

/// Reads one text. The rules of each level are in the files beside this one.
struct FilterParser {
    private static let byteCountMax = 16_384
    private static let depthMax = 64
    /// SQLite takes 32,766 values in a statement; a list that long belongs into a relationship.
    private static let listCountMax = 1_000

    private let tokens: [FilterToken]
    private var position = 0
    private var nesting = 0
    /// What stands for members: names of closures, with their depths.
    var variables: [(name: String, depth: Int)] = []
    /// The depth of the row whose properties are named without anything in front.
    var bareDepth = 0

    init(_ text: String) throws(FilterError) {
        guard text.utf8.count <= Self.byteCountMax else {
            throw .tooLarge("\(text.utf8.count) bytes, at most \(Self.byteCountMax) are read")
        }
        tokens = try FilterLexer.tokens(of: text)
    }

    mutating func whole() throws(FilterError) -> FilterExpression {
        let expression = try filter()
        guard current.kind == .end else { throw unexpected("&&, || or the end") }
        return expression
    }

    mutating func order() throws(FilterError) -> RowOrder {
        var terms: [RowOrder.Term] = []
        repeat {
            let names = try plainPath()
            var isDescending = false
            if take(name: "desc") { isDescending = true } else { _ = take(name: "asc") }
            terms.append(RowOrder.Term(PropertyPath(names), isDescending: isDescending))
        } while take(",")
        guard current.kind == .end else { throw unexpected("asc, desc, a comma or the end") }
        return RowOrder(terms)
    }

    // MARK: Conditions

    mutating func filter() throws(FilterError) -> FilterExpression {
        var expression = try conjunction()
        var count = 1
        while take("||") || take(name: "or") {
            count += 1
            try FilterBounds.check(chain: count)
            expression = .or(expression, try conjunction())
        }
        return expression
    }

    private mutating func conjunction() throws(FilterError) -> FilterExpression {
        var expression = try term()
        var count = 1
        while take("&&") || take(name: "and") {
            count += 1
            try FilterBounds.check(chain: count)
            expression = .and(expression, try term())
        }
        return expression
    }

    private mutating func term() throws(FilterError) -> FilterExpression {
        try enter()
        defer { leave() }
        if take("!") || takeNot() { return .not(try term()) }
        return try condition()
    }

    private mutating func condition() throws(FilterError) -> FilterExpression {
        let value = try value()
        var result = value
        if case .symbol(let symbol) = current.kind, let comparison = Self.comparisons[symbol] {
            position += 1
            result = .comparison(value, comparison, try self.value())
        } else if take(name: "in") {
            result = .membership(value, try list())
        } else if take(name: "like") {
            result = .text(value, .like, try self.value())
        } else if take(name: "between") {
            result = try between(value)
        } else if take(name: "is") {
            let isNegated = take(name: "not")
            guard take(name: "null") || take(name: "nil") else { throw unexpected("null or not null") }
            result = .comparison(value, isNegated ? .notEqual : .equal, .literal(.null))
        } else if isNext(name: "not", before: ["in", "like", "between"]) {
            position += 1
            if take(name: "in") { result = .not(.membership(value, try list())) }
            if take(name: "like") { result = .not(.text(value, .like, try self.value())) }
            if take(name: "between") { result = .not(try between(value)) }
        }
        guard take("?") else { return result }
        // `author? != nil`: a question mark that chains nothing.
        guard startsOperand else { return result }
        let first = try filter()
        guard take(":") else { throw unexpected(":") }
        return .choice(result, first, try filter())
    }

    private static let comparisons: [String: RowFilter.Comparison] = [
        "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
    ]

    private mutating func between(_ value: FilterExpression) throws(FilterError) -> FilterExpression {
        let lower = try self.value()
        guard take(name: "and") else { throw unexpected("and") }
        try FilterBounds.check(repeated: value)
        return .and(.comparison(value, .greaterOrEqual, lower), .comparison(value, .lessOrEqual, try self.value()))
    }

    mutating func list() throws(FilterError) -> [RowFilter.Literal] {
        let closing = take("[") ? "]" : take("(") ? ")" : ""
        guard !closing.isEmpty else { throw unexpected("[") }
        var literals: [RowFilter.Literal] = []
        if take(closing) { return literals }
        repeat {
            guard let literal = takeLiteral() else { throw unexpected("a text in quotes, a number, true, false or nil") }
            literals.append(literal)
        } while take(",")
        guard literals.count <= Self.listCountMax else { throw .tooLarge("a list of \(literals.count) values") }
        guard take(closing) else { throw unexpected("a comma or \(closing)") }
        return literals
    }

    mutating func takeLiteral() -> RowFilter.Literal? {
        let literal: RowFilter.Literal
        switch current.kind {
        case .text(let text): literal = .text(text)
        case .integer(let value): literal = .integer(value)
        case .number(let value): literal = .number(value)
        case .name("true"): literal = .boolean(true)
        case .name("false"): literal = .boolean(false)
        case .name("nil"), .name("null"): literal = .null
        default: return nil
        }
        position += 1
        return literal
    }

    // MARK: Words

    /// The last token is always the end, and nothing reads past it.
    var current: FilterToken { tokens[min(position, tokens.count - 1)] }
    var next: FilterToken { tokens[min(position + 1, tokens.count - 1)] }

    mutating func advance() { position += 1 }

    mutating func take(_ symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    mutating func take(name: String) -> Bool {
        guard case .name(let found) = current.kind, found == name || (found.lowercased() == name && found == found.uppercased()) else {
            return false
        }
        position += 1
        return true
    }

    private func isNext(name: String, before words: Set<String>) -> Bool {
        guard case .name(name) = current.kind, case .name(let word) = next.kind else { return false }
        return words.contains(word)
    }

    /// `not` before something that can be negated; elsewhere it is a name like any other.
    private mutating func takeNot() -> Bool {
        guard case .name(let word) = current.kind, word == "not" || word == "NOT" else { return false }
        switch next.kind {
        case .symbol("("), .symbol("!"), .name, .quotedName: break
        default: return false
        }
        position += 1
        return true
    }

    /// Whether a value can begin here.
    private var startsOperand: Bool {
        switch current.kind {
        case .name(let name): name != "in" && name != "is" && name != "and" && name != "or"
        case .quotedName, .text, .integer, .number, .symbol("("), .symbol("-"), .symbol("!"): true
        case .symbol, .end: false
        }
    }

    mutating func enter() throws(FilterError) {
        nesting += 1
        guard nesting <= Self.depthMax else { throw .tooLarge("parentheses and negations more than \(Self.depthMax) deep") }
    }

    mutating func leave() { nesting -= 1 }

    func unexpected(_ expected: String) -> FilterError {
        .syntax(column: current.column, found: current.spelling, expected: expected)
    }
}
