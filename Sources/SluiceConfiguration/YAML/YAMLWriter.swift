/// Writes the YAML that `YAMLReader` reads: block mappings by indentation, short things in flow style, text quoted unless it is a word.
struct YAMLWriter {
    indirect enum Value {
        /// A mapping follows on the next lines.
        case nothing
        case emptyMapping
        case text(String)
        case flag
        case names([String])
        case sets([[String]])
        case pairs([(String, Value)])
    }

    private(set) var text = ""

    /// The first line of a list's item stands one level further out than those below it.
    mutating func line(_ depth: Int, _ key: String, _ value: Value, beginsItem: Bool = false) {
        text += String(repeating: "  ", count: depth) + (beginsItem ? "- " : "") + Self.scalar(key) + ":"
        let value = Self.flow(value)
        text += value.isEmpty ? "\n" : " \(value)\n"
    }

    private static func flow(_ value: Value) -> String {
        switch value {
        case .nothing: ""
        case .emptyMapping: "{}"
        case .text(let text): scalar(text)
        case .flag: "true"
        case .names(let names): list(names.map(scalar))
        // One name that is unique by itself needs no list of its own.
        case .sets(let sets): list(sets.map { $0.count == 1 ? scalar($0[0]) : list($0.map(scalar)) })
        case .pairs(let pairs): "{" + pairs.map { "\(scalar($0.0)): \(flow($0.1))" }.joined(separator: ", ") + "}"
        }
    }

    private static func list(_ items: [String]) -> String { "[" + items.joined(separator: ", ") + "]" }

    private static func scalar(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_.?-".utf8.contains(byte)
            }
        }
        // A dash or question mark in front would be read as an indicator.
        if isWord, let first = text.first, first.isLetter || first.isNumber || first == "_" { return text }
        return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default: break
        }
        switch scalar.value {
        // What YAML counts as printable, without its line breaks and the byte order mark.
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: return String(scalar)
        default:
            let hexadecimal = String(scalar.value, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - min(4, hexadecimal.count)) + hexadecimal
        }
    }
}
