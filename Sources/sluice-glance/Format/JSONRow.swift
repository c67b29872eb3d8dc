import SluiceSchema

/// A row as one JSON object: `_name`, `_entity` and its properties.
struct JSONRow: Encodable {
    private let row: StoredRow
    private let fields: [String]

    init(_ row: StoredRow, fields: [String]?) {
        self.row = row
        self.fields = fields ?? ["_name", "_entity"] + (Array(row.attributes.keys) + Array(row.references.keys)).filter { !$0.hasPrefix("_") }
    }

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for field in fields {
            let key = Key(field)
            switch field {
            case "_name": try container.encode(row.name.text, forKey: key)
            case "_entity": try container.encode(row.entity, forKey: key)
            default:
                if let reference = row.references[field] {
                    try container.encode(reference.text, forKey: key)
                } else {
                    try container.encode(ScalarForm(row.attributes[field] ?? .null), forKey: key)
                }
            }
        }
    }
}
