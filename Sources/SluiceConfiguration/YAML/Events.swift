import CYAML
import Foundation

/// libyaml's events, one at a time. Its texts are copied out, and an event is freed before the next one is read and at the end.
struct Events: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var event = yaml_event_t()
    private let file: String
    private let bytes: Data

    init(parser: UnsafeMutablePointer<yaml_parser_t>, file: String, bytes: Data) {
        self.parser = parser
        self.file = file
        self.bytes = bytes
    }

    deinit {
        var last = event
        yaml_event_delete(&last)
    }

    mutating func next() throws(ConfigurationError) {
        yaml_event_delete(&event)
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
    }

    var type: yaml_event_type_t { event.type }

    var position: Position { Position(line: event.start_mark.line + 1, column: event.start_mark.column + 1) }

    /// The text of a scalar, whatever it holds, NUL included.
    var scalar: String {
        String(decoding: UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length), as: UTF8.self)
    }

    /// Whether a scalar begins and ends on one line.
    var isOnOneLine: Bool { type == YAML_SCALAR_EVENT && event.start_mark.line == event.end_mark.line }

    var quoteCount: Int {
        guard type == YAML_SCALAR_EVENT else { return 0 }
        let style = event.data.scalar.style
        return style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? 1 : 0
    }

    /// Neither quoted nor a block.
    var isPlain: Bool { event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE }

    var anchor: String? {
        switch event.type {
        case YAML_ALIAS_EVENT: Self.text(event.data.alias.anchor)
        case YAML_SCALAR_EVENT: Self.text(event.data.scalar.anchor)
        case YAML_SEQUENCE_START_EVENT: Self.text(event.data.sequence_start.anchor)
        case YAML_MAPPING_START_EVENT: Self.text(event.data.mapping_start.anchor)
        default: nil
        }
    }

    var hasTag: Bool {
        switch event.type {
        case YAML_SCALAR_EVENT: event.data.scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT: event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT: event.data.mapping_start.tag != nil
        default: false
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }

    /// What libyaml stumbled over, in our words where they help more than its own.
    private func problem() -> ConfigurationError {
        let said = parser.pointee.problem.map { String(cString: $0) } ?? "no YAML"
        if parser.pointee.error == YAML_READER_ERROR {
            let line = bytes.prefix(parser.pointee.problem_offset).count { $0 == UInt8(ascii: "\n") } + 1
            return ConfigurationError(file, Position(line: line, column: 1), found: said, expected: "text in UTF-8")
        }
        let mark = parser.pointee.problem_mark
        let position = Position(line: mark.line + 1, column: mark.column + 1)
        if let tab = tabPosition(line: position.line) {
            return ConfigurationError(file, tab, found: "a tab in the indentation", expected: "spaces")
        }
        return ConfigurationError(file, position, found: said, expected: "YAML")
    }

    private func tabPosition(line: Int) -> Position? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        let indentation = lines[line - 1].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return indentation.firstIndex(of: UInt8(ascii: "\t")).map { Position(line: line, column: $0 - indentation.startIndex + 1) }
    }
}
