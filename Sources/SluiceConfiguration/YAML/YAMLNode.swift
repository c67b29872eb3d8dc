/// A place in a file, counted from 1 as editors do.
package struct Position: Hashable, Sendable {
    package let line: Int
    package let column: Int

    /// Where a fault of a file as a whole stands.
    static let top = Position(line: 1, column: 1)
}

/// One value of a YAML file and where it stands. A scalar is the text that was written: nothing is taken for a number or a truth value.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(String)
        case sequence([YAMLNode])
        /// In the file's order, keys that stand twice included.
        case mapping([Entry])
    }

    struct Entry: Sendable {
        let key: String
        let position: Position
        let value: YAMLNode
    }

    let content: Content
    let position: Position
    /// A plain scalar without text: the value of `key:`.
    let isNothing: Bool
    /// Whether its letters stand in the file as they are read, one after the other.
    var isOnOneLine = false
    /// Quotes in front of a scalar's text.
    var quoteCount = 0

    /// The same scalar with another text.
    func replacingText(with text: String) -> YAMLNode {
        YAMLNode(content: .scalar(text), position: position, isNothing: false, isOnOneLine: isOnOneLine, quoteCount: quoteCount)
    }

    /// What it is, for a fault: `a list of 3`.
    var summary: String {
        switch content {
        case .scalar where isNothing: "nothing"
        case .scalar(let text): "`\(text.count > 60 ? text.prefix(60) + "…" : text)`"
        case .sequence(let nodes): "a list of \(nodes.count)"
        case .mapping(let entries): "a mapping of \(entries.count)"
        }
    }
}
