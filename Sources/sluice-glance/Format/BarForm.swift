// What each bar takes for markup in a text, and what stands for it here so that a value stays a value:
//
//     waybar     Pango markup: & < > are written as entities. Its own option `escape` must be off
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

    /// A value, so that it is shown as it is.
    func escaped(_ value: String, isPango: Bool) -> String {
        let line = SafeText.line(value)
        switch self {
        case .waybar: return Self.entities(line)
        case .i3bar, .i3blocks: return isPango ? Self.entities(line) : line
        case .polybar: return Self.parted(line)
        case .tmux: return Self.replacing(line) { $0 == "#" ? "##" : nil }
        case .prompt: return Self.replacing(line) { Self.fullWidth[$0] }
        }
    }

    private static let fullWidth: [Unicode.Scalar: String] = ["\\": "＼", "$": "＄", "`": "｀", "%": "％", "!": "！"]

    private static func entities(_ text: String) -> String {
        replacing(text) { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: nil
            }
        }
    }

    private static func parted(_ text: String) -> String {
        var (result, last) = ("", Unicode.Scalar(0))
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
}
