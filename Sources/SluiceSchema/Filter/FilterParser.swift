// The language of filters, a subset of Swift's expressions:
//
// filter      := conjunction { "||" conjunction }
// conjunction := term { "&&" term }
// term        := "!" term | "(" filter ")" | condition
// condition   := path                                    a boolean property
//              | path ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) literal
//              | path "in" "[" literal { "," literal } "]"
//              | path "." ( "contains" | "hasPrefix" ) "(" text ")"
// path        := name { [ "?" ] "." name }
// literal     := text | number | "true" | "false" | "nil"

extension RowFilter {
    /// Reads a filter such as `isChecked == false && (price > 3 || list.title.contains("food"))`.
    /// - Throws: `FilterError.syntax` with the column where reading stopped.
    public init(parsing text: String) throws(FilterError) {
        guard text.utf8.count <= FilterParser.byteCountMax else {
            throw .tooLarge("\(text.utf8.count) bytes, at most \(FilterParser.byteCountMax) are read")
        }
        var parser = FilterParser(tokens: try FilterLexer.tokens(of: text))
        self = try parser.filter()
    }
}

extension RowOrder {
    /// Reads an order such as `price desc, list.title`.
    /// - Throws: `FilterError.syntax` with the column where reading stopped.
    public init(parsing text: String) throws(FilterError) {
        guard text.utf8.count <= FilterParser.byteCountMax else { throw .tooLarge("an order of \(text.utf8.count) bytes") }
        var parser = FilterParser(tokens: try FilterLexer.tokens(of: text))
        self = try parser.order()
    }
}

private struct FilterParser {
    static let byteCountMax = 16_384
    private static let depthMax = 64
    /// SQLite takes 32,766 values in a statement; a list that long belongs into a relationship.
    private static let listCountMax = 1_000

    private let tokens: [FilterToken]
    private var position = 0
    private var depth = 0

    init(tokens: [FilterToken]) { self.tokens = tokens }

    mutating func filter() throws(FilterError) -> RowFilter {
        let filter = try disjunction()
        guard current.kind == .end else { throw unexpected("&&, || or the end") }
        return filter
    }

    mutating func order() throws(FilterError) -> RowOrder {
        var terms: [RowOrder.Term] = []
        repeat {
            let names = try path()
            var isDescending = false
            if take(name: "desc") { isDescending = true } else { _ = take(name: "asc") }
            terms.append(RowOrder.Term(PropertyPath(names), isDescending: isDescending))
        } while take(",")
        guard current.kind == .end else { throw unexpected("asc, desc, a comma or the end") }
        return RowOrder(terms)
    }

    // MARK: Rules of the grammar

    private mutating func disjunction() throws(FilterError) -> RowFilter {
        var filter = try conjunction()
        while take("||") { filter = .or(filter, try conjunction()) }
        return filter
    }

    private mutating func conjunction() throws(FilterError) -> RowFilter {
        var filter = try term()
        while take("&&") { filter = .and(filter, try term()) }
        return filter
    }

    private mutating func term() throws(FilterError) -> RowFilter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw .tooLarge("parentheses and negations more than \(Self.depthMax) deep") }
        if take("!") { return .not(try term()) }
        guard take("(") else { return try condition() }
        let inner = try disjunction()
        guard take(")") else { throw unexpected("&&, || or )") }
        return inner
    }

    private mutating func condition() throws(FilterError) -> RowFilter {
        var names = try path()
        if let match = names.last.flatMap(RowFilter.TextMatch.init), names.count > 1, take("(") {
            names.removeLast()
            guard case .text(let text) = current.kind else { throw unexpected("a text in quotes") }
            position += 1
            guard take(")") else { throw unexpected(")") }
            return .match(PropertyPath(names), match, text)
        }
        let path = PropertyPath(names)
        if take(name: "in") { return .membership(path, try list()) }
        if case .symbol(let symbol) = current.kind, let comparison = RowFilter.Comparison(rawValue: symbol) {
            position += 1
            return .comparison(path, comparison, try literal())
        }
        return .comparison(path, .equal, .boolean(true))
    }

    private mutating func path() throws(FilterError) -> [String] {
        var names: [String] = []
        repeat {
            guard case .name(let name) = current.kind, !Self.words.contains(name) else { throw unexpected("the name of a property") }
            names.append(name)
            position += 1
            if current.kind == .symbol("?") { position += 1 }
        } while take(".")
        return names
    }

    private mutating func list() throws(FilterError) -> [RowFilter.Literal] {
        guard take("[") else { throw unexpected("[") }
        var literals: [RowFilter.Literal] = []
        if take("]") { return literals }
        repeat { literals.append(try literal()) } while take(",")
        guard literals.count <= Self.listCountMax else { throw .tooLarge("a list of \(literals.count) values") }
        guard take("]") else { throw unexpected("a comma or ]") }
        return literals
    }

    private static let words: Set<String> = ["true", "false", "nil", "in"]

    private mutating func literal() throws(FilterError) -> RowFilter.Literal {
        let literal: RowFilter.Literal
        switch current.kind {
        case .text(let text): literal = .text(text)
        case .integer(let value): literal = .integer(value)
        case .number(let value): literal = .number(value)
        case .name("true"): literal = .boolean(true)
        case .name("false"): literal = .boolean(false)
        case .name("nil"): literal = .null
        default: throw unexpected("a text in quotes, a number, true, false or nil")
        }
        position += 1
        return literal
    }

    // MARK: Words

    /// The last token is always the end, and nothing reads past it.
    private var current: FilterToken { tokens[min(position, tokens.count - 1)] }

    private mutating func take(_ symbol: String) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func take(name: String) -> Bool {
        guard current.kind == .name(name) else { return false }
        position += 1
        return true
    }

    private func unexpected(_ expected: String) -> FilterError {
        .syntax(column: current.column, found: current.spelling, expected: expected)
    }
}
