import FoundationEssentials

/// A whole answer as one item of a bar.
struct BarItem {
    /// What is shown.
    let text: ItemText
    /// Line by line what there is to say about it; escaped already.
    var tooltip: [String] = []
    /// The status in one word, and more words for style sheets.
    let classes: [String]
    /// From 0 to 100.
    var percentage: Int?
    /// Nothing can be read.
    var isProblem = false

    /// Lines as the bar reads them.
    /// - Parameters:
    ///   - width: columns that may be seen of the text; nil for any number.
    ///   - instance: whose item it is, for the i3bar protocol.
    func lines(_ form: BarForm, width: Int?, instance: String, isPango: Bool) throws -> [String] {
        func written(_ width: Int?) -> String { text.written(form, isPango: isPango, width: width) }
        switch form {
        case .waybar:
            return [
                try Self.json(
                    Waybar(
                        text: written(nil), tooltip: tooltip.joined(separator: "\n"), alt: classes.first ?? "", class: classes, percentage: percentage))
            ]
        case .i3bar:
            return [
                try Self.json(
                    Block(
                        full_text: written(nil), short_text: written(width ?? 20), name: "sluice", instance: instance, urgent: isProblem,
                        markup: isPango ? "pango" : "none"))
            ]
        // A text without a line is no text to i3blocks: it keeps the one before.
        case .i3blocks: return [written(nil), written(width ?? 20)]
        case .polybar, .tmux: return [written(width)]
        case .prompt: return [written(width ?? 32)]
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Waybar, custom module, `return-type` json.
    private struct Waybar: Encodable {
        let text: String
        let tooltip: String
        let alt: String
        let `class`: [String]
        let percentage: Int?
    }

    /// i3bar protocol, a block; the names are the protocol's.
    private struct Block: Encodable {
        let full_text: String
        let short_text: String
        let name: String
        let instance: String
        let urgent: Bool
        let markup: String
    }
}
