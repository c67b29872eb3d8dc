import Foundation
import SluiceSchema

/// A Swift type in a schema file. The same program finds it again; another program has the column's type to go by.
struct SchemaTypeName: Codable {
    let name: String?

    init(_ type: any Any.Type) { name = _mangledTypeName(type) }

    /// The type; nil where this program has no type of that name.
    var type: (any Any.Type)? {
        // Names made by this program consist of these characters alone; anything else in a file could mislead the runtime.
        guard let name, !name.isEmpty, name.utf8.allSatisfy(Self.isPlain) else { return nil }
        return _typeByName(name)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String?.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
