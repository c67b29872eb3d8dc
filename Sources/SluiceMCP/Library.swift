import FoundationEssentials
import SluiceReader
import SluiceJSON
import SluiceSchema

/// The container that is shown, and how much of it at once.
struct Library: Sendable {
    let container: GroupContainer
    let name: String
    let staleAfter: Duration?
    /// Rows that one answer may have.
    let rowsMax: Int

    /// Bytes of rows that one answer may have: what comes after is left out, and the answer says so.
    static let rowBytesMax = 256 << 10
    func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result { try container.ask(body) }

    /// The attributes and to-one relationships that a row is shown with where nobody says which: bytes are shown to who asks for them.
    static func usualFields(of entity: Entity, in schema: Schema) -> [String] {
        schema.family(of: entity).reduce(into: fields(of: entity, in: schema, { !$0.type.isBytes })) { names, other in
            for name in fields(of: other, in: schema, { !$0.type.isBytes }) where !names.contains(name) { names.append(name) }
        }
    }

    /// Everything that may be asked for.
    static func allFields(of entity: Entity, in schema: Schema) -> Set<String> {
        Set(schema.family(of: entity).flatMap { fields(of: $0, in: schema) { _ in true } })
    }

    private static func fields(of entity: Entity, in schema: Schema, _ isWanted: (Attribute) -> Bool) -> [String] {
        schema.attributes(of: entity).filter(isWanted).map(\.name) + schema.relationships(of: entity).filter { !$0.isToMany }.map(\.name)
    }
}

extension JSONWriter {
    /// A row as an object: its name, its entity, and the fields that it has of those.
    mutating func row(_ row: StoredRow, _ fields: [String]) {
        object { writer in
            writer.member("_name", row.name.text)
            writer.member("_entity", row.entity)
            for field in fields {
                if let target = row.references[field] {
                    writer.member(field, target.text)
                } else if let value = row.attributes[field] {
                    writer.key(field)
                    writer.scalar(ScalarForm(value))
                }
            }
        }
    }

    mutating func scalar(_ value: ScalarForm) {
        switch value {
        case .null: null()
        case .boolean(let flag): boolean(flag)
        case .integer(let number): integer(number)
        // Numbers that JSON has no form for are texts in a ScalarForm.
        case .double(let number): do { try double(number) } catch { null() }
        case .string(let text): string(text)
        }
    }

    /// Whose state the answer is.
    mutating func state(_ summary: LocalStoreSummary) {
        member("generation", summary.generation)
        member("lastSync", summary.lastSync?.formatted(.iso8601))
    }
}
