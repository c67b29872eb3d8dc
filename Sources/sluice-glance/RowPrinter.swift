import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// Prints rows of one entity in one format.
struct RowPrinter {
    private let layout: RowLayout
    /// The fields to print, by name; every one is known to the schema.
    private let fields: [String]
    /// Whether the fields were asked for; JSON otherwise has everything that a row has.
    private let isSelected: Bool
    private let isNumeric: Set<String>

    /// - Throws: `UsageError` where a field is not one of the entity's or its subentities'.
    init(_ layout: RowLayout, fields: [String]?, entity: Entity, schema: Schema) throws {
        let own = Self.fields(of: schema.attributes(of: entity), schema.relationships(of: entity))
        let family = schema.family(of: entity).flatMap { Self.fields(of: $0.attributes, $0.relationships) }
        var asked = fields
        if case .template(let template) = layout { asked = template.fields }
        for field in asked ?? [] where !Set(own + family + ["_name", "_entity"]).contains(field) {
            throw UsageError("\(entity.name) has no property of that name; it has \(own.joined(separator: ", "))", argument: field)
        }
        self.layout = layout
        self.fields = asked ?? own
        isSelected = asked != nil
        isNumeric = Set(
            schema.attributes(of: entity).filter { $0.type.isInteger || [.double, .float, .decimal].contains($0.type) }.map(\.name))
    }

    /// The attributes that it needs of a row; nil for all.
    var attributes: Set<String>? {
        if case .json = layout, !isSelected { return nil }
        return Set(fields)
    }

    /// Attributes, then the to-one relationships. A to-many relationship is read from its other end.
    private static func fields(of attributes: [Attribute], _ relationships: [Relationship]) -> [String] {
        attributes.map(\.name) + relationships.filter { !$0.isToMany }.map(\.name)
    }

    func print(_ rows: [StoredRow], on console: Console) throws {
        switch layout {
        case .plain: for row in rows { console.printLine(fields.map { Self.line(text($0, of: row)) }.joined(separator: "\t")) }
        case .template(let template): for row in rows { console.printLine(template.text { text($0, of: row) }) }
        case .json: for row in rows { try console.printJSON(JSONRow(row, fields: isSelected ? fields : nil)) }
        case .table:
            var table = Table(fields.map { Table.Column($0, isRightAligned: isNumeric.contains($0)) })
            for row in rows { table.append(fields.map { text($0, of: row) }) }
            for line in table.lines { console.printLine(line) }
        }
    }

    private func text(_ field: String, of row: StoredRow) -> String {
        switch field {
        case "_name": row.name.text
        case "_entity": row.entity
        default: row.attributes[field].map { ScalarForm($0).text } ?? row.references[field]?.text ?? ""
        }
    }

    /// One row is one line, whatever is in it.
    private static func line(_ text: String) -> String {
        guard text.contains(where: { $0.isNewline || $0 == "\t" }) else { return text }
        return text.map { $0 == "\t" ? "\\t" : $0.isNewline ? "\\n" : String($0) }.joined()
    }
}

/// A row as one JSON object: `_name`, `_entity` and its properties.
private struct JSONRow: Encodable {
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
