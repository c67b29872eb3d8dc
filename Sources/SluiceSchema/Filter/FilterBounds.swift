// SQLite's parser holds a hundred entries at a time and cannot be asked beforehand how many a statement needs; what it refuses it calls
// "parser stack overflow", which tells nobody what to do. So statements are measured here, in the entries that its grammar holds.

import SluiceSQLite

enum FilterBounds {
    /// Bytes of SQL for one expression.
    static let byteCountMax = 262_144
    /// SQLite takes 32,766 values in a statement.
    static let valueCountMax = 16_000
    /// Entries of SQLite's parser stack for one expression; the statement around it needs up to twenty of the hundred.
    static let depthMax = 80
    /// Conditions in one chain of `&&` or `||`; SQLite's expression trees are at most a thousand deep.
    static let chainMax = 500
    /// Operators in a row in one value.
    static let operatorCountMax = 64
    /// Parts of an expression that stands in two places.
    static let repeatedPartsMax = 500

    static func check(_ sql: SQLFragment) throws(FilterError) {
        guard sql.text.utf8.count <= byteCountMax, sql.values.count <= valueCountMax else {
            throw .tooLarge("as SQL it has \(sql.text.utf8.count) bytes and \(sql.values.count) values")
        }
    }

    static func checkDepth(_ sql: SQLFragment) throws(FilterError) {
        guard ParserDepth.measured(sql.text) <= depthMax else {
            throw .tooLarge("its parts lie too deep in each other for SQLite; use fewer brackets, negations or operators in a row")
        }
    }

    static func check(chain count: Int) throws(FilterError) {
        guard count <= chainMax else { throw .tooLarge("more than \(chainMax) conditions in a row") }
    }

    static func check(operators count: Int) throws(FilterError) {
        guard count <= operatorCountMax else { throw .tooLarge("more than \(operatorCountMax) operators in a row") }
    }

    /// Checks what is about to be written twice: nested, it would double each time.
    static func check(repeated expression: FilterExpression) throws(FilterError) {
        var budget = repeatedPartsMax
        guard expression.fits(&budget) else { throw .tooLarge("a value of more than \(repeatedPartsMax) parts is compared with a range") }
    }
}

/// An upper bound of the entries that SQLite's parser holds, for SQL as `FilterTranslation` writes it.
private struct ParserDepth {
    /// What is held outside the innermost bracket, by the clause before the current term, and by operators that wait for their right side.
    private var outside = 0
    private var clause = 0
    private var waiting = 0
    private var brackets: [(outside: Int, clause: Int, waiting: Int)] = []
    private var deepest = 0
    private var isAfterName = false

    private var held: Int { outside + clause + waiting }

    static func measured(_ sql: String) -> Int {
        var depth = Self()
        var bytes = Array(sql.utf8)[...]
        while let byte = bytes.first {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                bytes = bytes.dropFirst().drop { $0 != byte }.dropFirst()
                depth.isAfterName = false
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                let word = bytes.prefix(while: isPartOfWord)
                depth.read(word: String(decoding: word, as: UTF8.self))
                bytes = bytes.dropFirst(word.count)
            default:
                depth.read(symbol: byte)
                bytes = bytes.dropFirst()
            }
            // A leaf such as `t.name` holds three while it is read.
            depth.deepest = max(depth.deepest, depth.held + 3)
        }
        return depth.deepest
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func read(word: String) {
        isAfterName = false
        switch word {
        case "SELECT": (clause, waiting) = (3, 0)
        case "FROM", "WHERE": (clause, waiting) = (5, 0)
        case "ON": (clause, waiting) = (10, 0)
        case "ORDER": (clause, waiting) = (9, 0)
        case "AND", "OR": waiting = 2
        case "IN", "IS", "LIKE": waiting += 2
        case "NOT", "EXISTS": waiting += 1
        default: isAfterName = true
        }
    }

    private mutating func read(symbol: UInt8) {
        switch symbol {
        case UInt8(ascii: "("):
            brackets.append((outside, clause, waiting))
            // A call holds its name, the bracket and the place for DISTINCT.
            (outside, clause, waiting) = (held + (isAfterName ? 3 : 1), 0, 0)
        case UInt8(ascii: ")"): (outside, clause, waiting) = brackets.popLast() ?? (0, 0, 0)
        case UInt8(ascii: ","): waiting = 2
        case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"): waiting += 2
        default: break
        }
        isAfterName = false
    }
}

extension FilterExpression {
    /// Whether the expression has no more parts than the budget, which it uses up.
    fileprivate func fits(_ budget: inout Int) -> Bool {
        budget -= 1
        guard budget >= 0 else { return false }
        switch self {
        case .literal, .path: return true
        case .not(let inner), .length(let inner), .membership(let inner, _): return inner.fits(&budget)
        case .and(let left, let right), .or(let left, let right), .comparison(let left, _, let right), .text(let left, _, let right),
            .arithmetic(let left, _, let right), .coalesce(let left, let right):
            return left.fits(&budget) && right.fits(&budget)
        case .choice(let test, let first, let second): return test.fits(&budget) && first.fits(&budget) && second.fits(&budget)
        case .some(let members), .all(let members): return members.condition?.fits(&budget) ?? true
        case .aggregate(let aggregate): return aggregate.members.condition?.fits(&budget) ?? true
        }
    }

    /// What a chain of `&&`, or one of `||`, joins, from left to right; the expression itself where it is none.
    func chained(byAnd isAnd: Bool) -> [FilterExpression] {
        var links: [FilterExpression] = []
        var waiting = [self]
        while let expression = waiting.popLast() {
            switch expression {
            case .and(let left, let right) where isAnd: waiting += [right, left]
            case .or(let left, let right) where !isAnd: waiting += [right, left]
            default: links.append(expression)
            }
        }
        return links
    }
}
