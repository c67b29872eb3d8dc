import SluiceCommandLine

/// What the result looks like.
enum OutputFormat: String, CaseIterable, ArgumentValue {
    /// The fields of a row on one line, tabs between them.
    case plain
    case table
    /// One JSON text: an array of objects for rows, one object for anything else.
    case json
    /// One object per row, one per line.
    case jsonl
    case template
    /// One object for a custom module of waybar.
    case waybar
    /// The protocol of i3bar and swaybar; of one answer, its block.
    case i3bar
    /// Two lines: a text and a short one.
    case i3blocks
    case polybar
    case tmux
    /// A short text for a shell's prompt.
    case prompt

    /// Where one item stands for the whole answer.
    var bar: BarForm? {
        switch self {
        case .plain, .table, .json, .jsonl, .template: nil
        case .waybar: .waybar
        case .i3bar: .i3bar
        case .i3blocks: .i3blocks
        case .polybar: .polybar
        case .tmux: .tmux
        case .prompt: .prompt
        }
    }
}
