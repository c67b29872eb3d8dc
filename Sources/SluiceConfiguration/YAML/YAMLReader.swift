// From bytes to a tree of nodes through libyaml's events, which carry line and column. A byte order mark and CRLF line ends are read as if
// they were not there. What configuration does not need is refused where it stands: tags, several documents, keys that are no scalars.
// Bounds: 1 MiB of text, 64 levels, and 20,000 nodes with every alias counted as often as it is used.

import CYAML
import Foundation

struct YAMLReader {
    private static let bytesMaximum = 1 << 20
    private static let depthMaximum = 64
    private static let nodesMaximum = 20_000

    private let file: String
    private let bytes: Data
    private var anchors: [String: (node: YAMLNode, count: Int)] = [:]
    private var nodeCount = 0

    /// The single document in `bytes`.
    static func read(_ bytes: Data, file: String) throws(ConfigurationError) -> YAMLNode {
        guard bytes.count <= bytesMaximum else {
            throw ConfigurationError(file, .top, found: "\(bytes.count) bytes", expected: "at most 1 MiB")
        }
        var reader = YAMLReader(file: file, bytes: bytes)
        return try reader.readDocument()
    }

    private init(file: String, bytes: Data) {
        self.file = file
        self.bytes = bytes
    }

    private mutating func readDocument() throws(ConfigurationError) -> YAMLNode {
        let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        defer { storage.deallocate() }
        _ = storage.update(from: bytes)
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            throw fault(.top, found: "no memory", expected: "some")
        }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_input_string(parser, storage.baseAddress, bytes.count)
        var events = Events(parser: parser, file: file, bytes: bytes)
        try events.next()
        // The first event says that the stream begins.
        try events.next()
        guard events.type == YAML_DOCUMENT_START_EVENT else {
            throw fault(.top, found: "an empty file", expected: "a mapping of keys")
        }
        try events.next()
        let root = try readNode(&events, depth: 0)
        try events.next()
        // That was the document's end; nothing but the stream's may follow.
        try events.next()
        guard events.type == YAML_STREAM_END_EVENT else {
            throw fault(events.position, found: "a second document", expected: "one document per file")
        }
        return root
    }

    /// Reads the node whose first event is the current one.
    private mutating func readNode(_ events: inout Events, depth: Int) throws(ConfigurationError) -> YAMLNode {
        let position = events.position
        guard depth < Self.depthMaximum else {
            throw fault(position, found: "\(depth) levels", expected: "fewer than \(Self.depthMaximum)")
        }
        let countBefore = nodeCount
        try count(1, at: position)
        if events.type == YAML_ALIAS_EVENT { return try readAlias(events) }
        if events.hasTag { throw fault(position, found: "a tag", expected: "a value without one; its type is known from its key") }
        let anchor = events.anchor
        let content: YAMLNode.Content
        var isNothing = false
        let (isOnOneLine, quoteCount) = (events.isOnOneLine, events.quoteCount)
        switch events.type {
        case YAML_SCALAR_EVENT:
            content = .scalar(events.scalar)
            isNothing = events.isPlain && events.scalar.isEmpty
        case YAML_SEQUENCE_START_EVENT: content = .sequence(try readSequence(&events, depth: depth))
        default: content = .mapping(try readMapping(&events, depth: depth))
        }
        let node = YAMLNode(
            content: content, position: position, isNothing: isNothing, isOnOneLine: isOnOneLine, quoteCount: quoteCount)
        if let anchor { anchors[anchor] = (node, nodeCount - countBefore) }
        return node
    }

    private mutating func readAlias(_ events: borrowing Events) throws(ConfigurationError) -> YAMLNode {
        let name = events.anchor ?? ""
        // An anchor is known once its value is complete, so that no value can contain itself.
        guard let target = anchors[name] else {
            throw fault(events.position, found: "the alias `*\(name)`", expected: "one whose anchor `&\(name)` stands complete before it")
        }
        try count(target.count, at: events.position)
        return target.node
    }

    private mutating func readSequence(_ events: inout Events, depth: Int) throws(ConfigurationError) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        try events.next()
        while events.type != YAML_SEQUENCE_END_EVENT {
            nodes.append(try readNode(&events, depth: depth + 1))
            try events.next()
        }
        return nodes
    }

    private mutating func readMapping(_ events: inout Events, depth: Int) throws(ConfigurationError) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        try events.next()
        while events.type != YAML_MAPPING_END_EVENT {
            let keyNode = try readNode(&events, depth: depth + 1)
            guard case .scalar(let key) = keyNode.content else {
                throw fault(keyNode.position, found: keyNode.summary, expected: "a key")
            }
            try events.next()
            let value = try readNode(&events, depth: depth + 1)
            entries.append(YAMLNode.Entry(key: key, position: keyNode.position, value: value))
            try events.next()
        }
        return entries
    }

    private mutating func count(_ nodes: Int, at position: Position) throws(ConfigurationError) {
        nodeCount += nodes
        guard nodeCount <= Self.nodesMaximum else {
            throw fault(position, found: "more than \(Self.nodesMaximum) values, aliases expanded", expected: "fewer")
        }
    }

    private func fault(_ position: Position, found: String, expected: String) -> ConfigurationError {
        ConfigurationError(file, position, found: found, expected: expected)
    }
}
