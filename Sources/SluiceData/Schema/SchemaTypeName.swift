import Foundation
import SluiceSchema

/// A Swift type in a schema file. The same program finds it again; another program has the column's type to go by.
struct SchemaTypeName: Codable {
    let name: String?

    init(_ type: any Any.Type) { name = _mangledTypeName(type) }

    /// The type; nil where this program has no type of that name.
    var type: (any Any.Type)? {
        // The runtime takes names from anywhere and refuses what it cannot read.
        name.flatMap(_typeByName)
    }

    init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String?.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
