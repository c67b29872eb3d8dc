import SluiceCommandLine

/// Text with places for fields: `{{title}}: {{price}}`.
struct RowTemplate: Sendable {
    enum Part: Sendable {
        case text(String)
        case field(String)
    }

    let parts: [Part]

    init(_ text: String) throws(UsageError) {
        var parts: [Part] = []
        var rest = text[...]
        while let opening = Self.range(of: "{{", in: rest) {
            parts.append(.text(Self.unescaped(rest[..<opening.lowerBound])))
            guard let closing = Self.range(of: "}}", in: rest[opening.upperBound...]) else {
                throw UsageError("a {{ in the template has no }}", argument: String(rest[opening.lowerBound...]))
            }
            let name = rest[opening.upperBound..<closing.lowerBound].filter { $0 != " " }
            guard !name.isEmpty else { throw UsageError("an empty field in the template", argument: text) }
            parts.append(.field(name))
            rest = rest[closing.upperBound...]
        }
        parts.append(.text(Self.unescaped(rest)))
        self.parts = parts
    }

    var fields: [String] { parts.compactMap { if case .field(let name) = $0 { name } else { nil } } }

    func text(_ value: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let name): value(name)
            }
        }.joined()
    }

    /// The text for a bar, in which values stay apart from what the template says.
    func itemText(_ value: (String) -> String) -> ItemText {
        var result = ItemText()
        for part in parts {
            switch part {
            case .text(let text): result.append(template: text)
            case .field(let name): result.append(value: value(name))
            }
        }
        return result
    }

    private static func range(of mark: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(mark) { return start..<text.index(start, offsetBy: mark.count) }
            start = text.index(after: start)
        }
        return nil
    }

    /// A shell passes `\n` as it is typed.
    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            switch (isEscaped, character) {
            case (false, "\\"):
                isEscaped = true
                continue
            case (true, "n"): result.append("\n")
            case (true, "t"): result.append("\t")
            case (true, "\\"): result.append("\\")
            case (true, let other): result += "\\\(other)"
            case (false, let other): result.append(other)
            }
            isEscaped = false
        }
        return isEscaped ? result + "\\" : result
    }
}
