import SluiceCommandLine

// A value next to a template's text, or to another value, may make markup that neither is: `%` and `{A1:…}`. So the two are kept apart until
// the whole text is known, and a text is shortened by what is seen of it, before anything is escaped: no tag and no entity is cut in two.

/// The text of a bar's item: pieces of a template, which may be markup, and values, which may not.
struct ItemText: Sendable {
    private enum Piece {
        case template(String)
        case value(String)
    }

    private var pieces: [Piece] = []

    init() {}

    init(template: String) { append(template: template) }
    init(value: String) { append(value: value) }

    /// What belongs together is one piece: markup may begin in one text and end in the next.
    mutating func append(template text: String) {
        guard !text.isEmpty else { return }
        guard case .template(let before)? = pieces.last else { return pieces.append(.template(text)) }
        pieces[pieces.count - 1] = .template(before + text)
    }

    mutating func append(value: String) {
        if !value.isEmpty { pieces.append(.value(value)) }
    }

    mutating func append(_ other: ItemText) {
        for piece in other.pieces {
            switch piece {
            case .template(let text): append(template: text)
            case .value(let value): append(value: value)
            }
        }
    }

    static func joined(_ texts: [ItemText], separator: String) -> ItemText {
        var result = ItemText()
        for (index, text) in texts.enumerated() {
            if index > 0 { result.append(template: separator) }
            result.append(text)
        }
        return result
    }

    /// The text as the bar reads it.
    /// - Parameter width: columns that may be seen; nil for any number.
    func written(_ form: BarForm, isPango: Bool, width: Int? = nil) -> String {
        let shown = guarded(form)
        let fitting = width.map { Self.shortened(shown, to: $0, form, isPango: isPango) } ?? shown
        return fitting.map { piece in
            switch piece {
            case .template(let text): text
            case .value(let value): form.escaped(value, isPango: isPango)
            }
        }.joined()
    }

    // MARK: Where pieces meet

    /// Values as they are seen, and neighbours that make no markup together.
    private func guarded(_ form: BarForm) -> [Piece] {
        var shown = ItemText()
        for piece in pieces {
            switch piece {
            case .template(let text): shown.append(template: text)
            case .value(let value): shown.append(value: form.shown(value))
            }
        }
        var result = shown.pieces
        for index in result.indices.dropLast() {
            switch (result[index], result[index + 1]) {
            case (.template(let text), .value): result[index] = .template(form.ended(template: text))
            case (.value(let value), .template(let text)): result[index] = .value(form.ended(value: value, before: text))
            default: break
            }
        }
        return result
    }

    // MARK: Width

    private static func shortened(_ pieces: [Piece], to width: Int, _ form: BarForm, isPango: Bool) -> [Piece] {
        let units = pieces.map { piece in
            switch piece {
            case .template(let text): form.units(ofTemplate: text, isPango: isPango)
            case .value(let value): value.map { MarkupUnit(String($0)) }
            }
        }
        guard units.joined().reduce(0, { $0 + $1.columns }) > width else { return pieces }
        var (used, isCut) = (0, false)
        return zip(pieces, units).map { piece, units in
            var text = ""
            for unit in units {
                // Markup has an end that must stay.
                if unit.isMarkup { text += unit.text } else if !isCut {
                    isCut = used + unit.columns > width - 1
                    text += isCut ? "…" : unit.text
                    used += unit.columns
                }
            }
            if case .value = piece { return .value(text) } else { return .template(text) }
        }
    }
}

/// What is not taken apart in a template: a character, or markup, of which nothing is seen.
struct MarkupUnit: Sendable {
    let text: String
    let columns: Int
    let isMarkup: Bool

    init(_ shown: String) { (text, columns, isMarkup) = (shown, DisplayWidth.of(shown), false) }
    init(markup: String) { (text, columns, isMarkup) = (markup, 0, true) }
    /// Several characters that stand for one.
    init(standIn: String) { (text, columns, isMarkup) = (standIn, 1, false) }
}
