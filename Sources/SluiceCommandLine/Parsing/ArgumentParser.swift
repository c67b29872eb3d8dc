// Reads what stands after a command's name. Options and positional arguments may be mixed; after `--` everything is positional.
// A short flag may be bundled (`-jq`), a short option may carry its value (`-n5`). An argument that begins with a dash is never
// taken as the value of the option before it, unless it is a negative number: `--name=-x` says it without doubt.

import SluiceNotation

/// Parses the arguments of one command.
struct ArgumentParser {
    let declarations: [ParameterDeclaration]
    private var remaining: ArraySlice<String>
    private var positionals: [String] = []
    private var result = Arguments()

    /// Nil means: help was asked for.
    static func parse(_ arguments: ArraySlice<String>, _ declarations: [ParameterDeclaration]) throws(UsageError) -> Arguments? {
        var parser = ArgumentParser(declarations: declarations, remaining: arguments)
        guard try parser.readAll() else { return nil }
        try parser.placePositionals()
        try parser.requireOptions()
        return parser.result
    }

    private init(declarations: [ParameterDeclaration], remaining: ArraySlice<String>) {
        self.declarations = declarations
        self.remaining = remaining
    }

    private mutating func readAll() throws(UsageError) -> Bool {
        while let argument = remaining.popFirst() {
            if argument == "--" {
                positionals += remaining
                remaining = []
            } else if argument.hasPrefix("--") {
                if argument == "--help" { return false }
                try readLong(argument)
            } else if argument.hasPrefix("-"), argument.count > 1, !Self.isNegativeNumber(argument) {
                guard try readShort(argument) else { return false }
            } else {
                positionals.append(argument)
            }
        }
        return true
    }

    private mutating func readLong(_ argument: String) throws(UsageError) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let declaration = declarations.first(where: { !$0.isPositional && $0.name == name }) else {
            let known = declarations.filter { !$0.isPositional }.map(\.name) + ["help"]
            let nearest = Spelling.nearest(to: name, in: known)
            throw UsageError("unknown option", argument: "--\(name)", suggestion: nearest.map { "--\($0)" })
        }
        try take(declaration, attached: parts.count == 2 ? String(parts[1]) : nil, typed: "--\(name)")
    }

    /// False means: help was asked for.
    private mutating func readShort(_ argument: String) throws(UsageError) -> Bool {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let declaration = declarations.first(where: { $0.short == letter }) else {
                if letter == "h" { return false }
                throw UsageError("unknown option", argument: "-\(letter)")
            }
            if case .flag = declaration.kind {
                try take(declaration, attached: nil, typed: "-\(letter)")
            } else {
                if letters.first == "=" { letters.removeFirst() }
                try take(declaration, attached: letters.isEmpty ? nil : String(letters), typed: "-\(letter)")
                return true
            }
        }
        return true
    }

    private mutating func take(_ declaration: ParameterDeclaration, attached: String?, typed: String) throws(UsageError) {
        guard case .option(let valueName, _, let isRepeatable) = declaration.kind else {
            if attached != nil { throw UsageError("this option takes no value", argument: typed) }
            result.texts[declaration.name, default: []].append("")
            return
        }
        guard let text = attached ?? nextValue() else {
            throw UsageError("this option needs a value (\(typed) \(valueName))", argument: typed)
        }
        if !isRepeatable, result.texts[declaration.name] != nil { throw UsageError("this option may be given once", argument: typed) }
        try store(text, for: declaration, named: typed)
    }

    private mutating func nextValue() -> String? {
        guard let next = remaining.first, !next.hasPrefix("-") || next == "-" || Self.isNegativeNumber(next) else { return nil }
        return remaining.popFirst()
    }

    private mutating func store(_ text: String, for declaration: ParameterDeclaration, named name: String) throws(UsageError) {
        guard declaration.accepts(text) else {
            throw UsageError("\(name): expected \(declaration.expectation()), found", argument: text)
        }
        result.texts[declaration.name, default: []].append(text)
    }

    private mutating func placePositionals() throws(UsageError) {
        var given = positionals[...]
        for declaration in declarations {
            guard case .positional(let count) = declaration.kind else { continue }
            let takesMany = count == .any || count == .oneOrMore
            if given.isEmpty, count == .one || count == .oneOrMore {
                throw UsageError("missing argument", argument: declaration.name)
            }
            for text in takesMany ? given : given.prefix(1) { try store(text, for: declaration, named: declaration.name) }
            given = takesMany ? [] : given.dropFirst()
        }
        if let extra = given.first { throw UsageError("unexpected argument", argument: extra) }
    }

    private func requireOptions() throws(UsageError) {
        for declaration in declarations {
            if case .option(let value, true, _) = declaration.kind, result.texts[declaration.name] == nil {
                throw UsageError("missing option", argument: "--\(declaration.name) \(value)")
            }
        }
    }

    private static func isNegativeNumber(_ text: String) -> Bool { text.hasPrefix("-") && Double(text) != nil }
}
