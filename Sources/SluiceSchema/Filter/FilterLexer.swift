/// One word of a filter, and the column where it begins.
struct FilterToken: Equatable {
    enum Kind: Equatable {
        case name(String)
        /// A name in backticks, which is never a word of the language.
        case quotedName(String)
        case text(String)
        case integer(Int64)
        case number(Double)
        /// An operator or a bracket, as it is written.
        case symbol(String)
        case end
    }

    let kind: Kind
    let column: Int

    /// As an error quotes it.
    var spelling: String {
        switch kind {
        case .name(let name), .quotedName(let name): name
        case .text: "a text"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .symbol(let symbol): symbol
        case .end: "the end"
        }
    }
}

/// Cuts a filter into words. Text stands in double or single quotes; a quote that is doubled is part of it, and a backslash means what it
/// means in Swift: `\"`, `\'`, `\\`, `\n`,
/// `\t`, `\0` and `\u{…}`.
struct FilterLexer {
    private let characters: [Character]
    private var position = 0

    /// Longer ones first: `<=` is not `<` and `=`.
    private static let symbols = [
        "..<", "...", "&&", "||", "==", "!=", "<=", ">=", "<>", "??", "!", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",", ".", "?", ":",
        "+", "-", "*", "/", "%", "\\",
    ]

    static func tokens(of text: String) throws(FilterError) -> [FilterToken] {
        var lexer = FilterLexer(characters: Self.characters(of: text))
        var tokens: [FilterToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(characters: [Character]) { self.characters = characters }

    /// As Swift sees them, but for a quote or a backslash with a combining mark on it: that is a quote or a backslash, and a mark.
    private static func characters(of text: String) -> [Character] {
        var characters: [Character] = []
        for character in text {
            let scalars = character.unicodeScalars
            if let first = scalars.first, first == "\"" || first == "'" || first == "\\" {
                for scalar in scalars { characters.append(Character(scalar)) }
            } else {
                characters.append(character)
            }
        }
        return characters
    }

    private var current: Character? { position < characters.count ? characters[position] : nil }

    private mutating func next() throws(FilterError) -> FilterToken {
        while let character = current, character.isWhitespace { position += 1 }
        let column = position + 1
        guard let character = current else { return FilterToken(kind: .end, column: column) }
        if character == "\"" || character == "'" { return FilterToken(kind: .text(try text(quotedBy: character)), column: column) }
        if Self.isDigit(character) || (character == "-" && position + 1 < characters.count && Self.isDigit(characters[position + 1])) {
            return FilterToken(kind: try number(), column: column)
        }
        if character == "`" { return FilterToken(kind: try quotedName(), column: column) }
        if character == "$", position + 1 < characters.count, Self.isDigit(characters[position + 1]) {
            position += 1
            return FilterToken(kind: .name("$" + name()), column: column)
        }
        if character.isLetter || character == "_" { return FilterToken(kind: .name(name()), column: column) }
        for symbol in Self.symbols where characters[position...].starts(with: symbol) {
            position += symbol.count
            return FilterToken(kind: .symbol(symbol), column: column)
        }
        throw .syntax(column: column, found: String(character), expected: "a property, an operator or a value")
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private mutating func name() -> String {
        var name = ""
        while let character = current, character.isLetter || character.isNumber || character == "_" {
            name.append(character)
            position += 1
        }
        return name
    }

    private mutating func quotedName() throws(FilterError) -> FilterToken.Kind {
        let start = position
        position += 1
        let name = name()
        guard current == "`", !name.isEmpty else {
            throw .syntax(column: start + 1, found: "a name without its end", expected: "a name and a closing backtick")
        }
        position += 1
        return .quotedName(name)
    }

    private mutating func number() throws(FilterError) -> FilterToken.Kind {
        let start = position
        position += 1
        while let character = current {
            let isSign = (character == "-" || character == "+") && "eE".contains(characters[position - 1])
            // `1...5` is a range of whole numbers.
            let isPoint = character == "." && position + 1 < characters.count && Self.isDigit(characters[position + 1])
            guard Self.isDigit(character) || isPoint || character == "e" || character == "E" || isSign else { break }
            position += 1
        }
        var text = ""
        for character in characters[start..<position] { text.append(character) }
        if let integer = Int64(text) { return .integer(integer) }
        // A whole number beyond 64 bits would silently lose digits as a double.
        if text.contains(where: { ".eE".contains($0) }), let number = Double(text), number.isFinite { return .number(number) }
        throw .syntax(column: start + 1, found: text, expected: "a number of at most 64 bits")
    }

    private mutating func text(quotedBy quote: Character) throws(FilterError) -> String {
        let start = position
        position += 1
        var text = ""
        while let character = current {
            position += 1
            if character == quote {
                // SQL's way to say the quote itself.
                guard current == quote else { return text }
                position += 1
            }
            text.append(character == "\\" ? try escaped() : character)
        }
        throw .syntax(column: start + 1, found: "a text without its end", expected: "a closing \(quote)")
    }

    private mutating func escaped() throws(FilterError) -> Character {
        let column = position
        guard let character = current else { throw .syntax(column: column, found: "the end", expected: "what \\ stands for") }
        position += 1
        switch character {
        case "\"", "'", "\\": return character
        case "n": return "\n"
        case "t": return "\t"
        case "0": return "\0"
        case "u": return try scalar(column: column)
        default: throw .syntax(column: column, found: "\\\(character)", expected: "\\\", \\', \\\\, \\n, \\t, \\0 or \\u{…}")
        }
    }

    private mutating func scalar(column: Int) throws(FilterError) -> Character {
        let rest = characters[position...]
        guard rest.first == "{", let end = rest.prefix(10).firstIndex(of: "}"),
            let scalar = UInt32(String(rest[(position + 1)..<end]), radix: 16).flatMap(Unicode.Scalar.init)
        else { throw .syntax(column: column, found: "\\u", expected: "\\u{…} with a Unicode scalar in hexadecimal") }
        position = end + 1
        return Character(scalar)
    }
}
