import SluiceCommandLine
import SluiceReader
import SluiceSchema

/// Which properties of an entity's rows are printed.
struct RowFields {
    /// By name; every one is known to the schema.
    let names: [String]
    /// Whether they were asked for; JSON otherwise has everything that a row has.
    let isSelected: Bool
    private let isNumeric: Set<String>

    /// - Parameter more: fields that something else than the output needs.
    /// - Throws: `UsageError` where a field is not one of the entity's or its subentities'.
    init(_ asked: [String]?, and more: [String] = [], entity: Entity, schema: Schema) throws {
        let own = Self.fields(of: schema.attributes(of: entity), schema.relationships(of: entity))
        let family = schema.family(of: entity).flatMap { Self.fields(of: $0.attributes, $0.relationships) }
        for field in (asked ?? []) + more where !Set(own + family + ["_name", "_entity"]).contains(field) {
            throw UsageError("\(entity.name) has no property of that name; it has \(own.joined(separator: ", "))", argument: field)
        }
        names = asked ?? own
        isSelected = asked != nil
        isNumeric = Set(
            schema.attributes(of: entity).filter { $0.type.isInteger || [.double, .float, .decimal].contains($0.type) }.map(\.name))
    }

    /// Attributes, then the to-one relationships. A to-many relationship is read from its other end.
    private static func fields(of attributes: [Attribute], _ relationships: [Relationship]) -> [String] {
        attributes.map(\.name) + relationships.filter { !$0.isToMany }.map(\.name)
    }

    var columns: [Table.Column] { names.map { Table.Column($0, isRightAligned: isNumeric.contains($0)) } }

    static func text(_ field: String, of row: StoredRow) -> String {
        switch field {
        case "_name": row.name.text
        case "_entity": row.entity
        default: row.attributes[field].map { ScalarForm($0).text } ?? row.references[field]?.text ?? ""
        }
    }
}
