// What each bar takes for markup in a text, and what stands for it here so that a value stays a value:
//
//     waybar     Pango markup: & < > and quotes are written as entities. Its own option `escape` must be off
//     i3bar      none: the block says so itself. Pango with --markup pango
//     i3blocks   none, unless its block is set to Pango: then --markup pango
//     polybar    %{…}: it knows no escape, so % and { are parted by a space
//     tmux       #[…] #{…} #(…): a # is doubled
//     prompt     \ $ ` % ! of bash and zsh, once or twice expanded: the full-width characters of these, which no shell knows

/// The ways in which one item is written.
enum BarForm: Sendable {
    case waybar
    case i3bar
    case i3blocks
    case polybar
    case tmux
    case prompt

    // MARK: Values

    /// A value as it is seen.
    func shown(_ value: String) -> String {
        let line = SafeText.line(value)
        switch self {
        case .waybar, .i3bar, .i3blocks, .tmux: return line
        case .polybar: return Self.parted(line)
        case .prompt: return Self.replacing(line) { Self.fullWidth[$0] }
        }
    }

    /// What is seen, as the bar reads it.
    func escaped(_ shown: String, isPango: Bool) -> String {
        switch self {
        case .waybar: Self.entities(shown)
        case .i3bar, .i3blocks: isPango ? Self.entities(shown) : shown
        case .tmux: Self.replacing(shown) { $0 == "#" ? "##" : nil }
        case .polybar, .prompt: shown
        }
    }

    private static let fullWidth: [Unicode.Scalar: String] = ["\\": "＼", "$": "＄", "`": "｀", "%": "％", "!": "！"]
    private static let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", "\"": "&quot;"]

    private static func entities(_ text: String) -> String { replacing(text) { entities[$0] } }

    /// A `{` at the beginning may follow a `%` of anybody's.
    private static func parted(_ text: String) -> String {
        var (result, last) = ("", Unicode.Scalar("%"))
        for scalar in text.unicodeScalars {
            if last == "%", scalar == "{" { result += " " }
            result.unicodeScalars.append(scalar)
            last = scalar
        }
        return result
    }

    private static func replacing(_ text: String, _ other: (Unicode.Scalar) -> String?) -> String {
        guard text.unicodeScalars.contains(where: { other($0) != nil }) else { return text }
        return text.unicodeScalars.map { other($0) ?? String($0) }.joined()
    }

    // MARK: Templates

    /// A template's text before a value: what would take the value's beginning for its own stands for itself.
    func ended(template text: String) -> String {
        guard let last = text.unicodeScalars.last else { return text }
        switch self {
        case .waybar, .i3bar, .i3blocks, .polybar: return text
        case .tmux: return text.unicodeScalars.reversed().prefix { $0 == "#" }.count.isMultiple(of: 2) ? text : text + "#"
        case .prompt:
            guard let other = Self.fullWidth[last], last != "`" else { return text }
            return String(text.unicodeScalars.dropLast()) + other
        }
    }

    /// A value before a template's text.
    func ended(value: String, before text: String) -> String {
        self == .polybar && value.unicodeScalars.last == "%" && text.unicodeScalars.first == "{" ? value + " " : value
    }

    /// A template's text in parts that are shown or left out as a whole.
    func units(ofTemplate text: String, isPango: Bool) -> [MarkupUnit] {
        var units: [MarkupUnit] = []
        var rest = text[...]
        while let first = rest.first {
            let markup = markup(at: rest, isPango: isPango)
            let unit = markup ?? MarkupUnit(String(first))
            units.append(unit)
            rest = rest.dropFirst(unit.text.count)
        }
        return units
    }

    private func markup(at text: Substring, isPango: Bool) -> MarkupUnit? {
        func through(_ end: Character) -> String? { text.firstIndex(of: end).map { String(text[...$0]) } }
        switch self {
        case .waybar, .i3bar, .i3blocks:
            guard self == .waybar || isPango else { return nil }
            if text.first == "<" { return through(">").map(MarkupUnit.init(markup:)) }
            // As long as the longest entity that has a number.
            guard text.first == "&", let entity = through(";"), entity.count <= 10 else { return nil }
            return MarkupUnit(standIn: entity)
        case .polybar: return text.hasPrefix("%{") ? through("}").map(MarkupUnit.init(markup:)) : nil
        case .tmux:
            if text.hasPrefix("##") { return MarkupUnit(standIn: "##") }
            for (start, end) in [("#[", "]"), ("#{", "}"), ("#(", ")")] as [(String, Character)] where text.hasPrefix(start) {
                return through(end).map(MarkupUnit.init(markup:))
            }
            return nil
        case .prompt: return nil
        }
    }
}
