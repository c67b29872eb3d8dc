import Foundation
import SluiceSQLite
import SluiceSchema

/// Reads the rows of one legacy file, one at a time.
struct RowReader {
    let connection: Connection
    let external: ExternalValues
    let names: LegacyNames
    /// Entity names of the imported schema, by name in the model.
    let entityNames: [String: String]

    /// A row as it stands in the file, under the model's names; the survey looks at it before the schema is settled.
    struct Stored {
        let primaryKey: Int64
        /// In the order of the plan's values.
        let values: [PropertyValue]
        /// In the order of the plan's references: the model's entity, the row and its position.
        let references: [(entity: String, primaryKey: Int64, position: Int64?)?]
    }

    func forEachStored(_ plan: ReadPlan, _ findings: inout ReadFindings, _ body: (Stored) throws -> Void) throws {
        var found = findings
        try connection.forEachRow(plan.sql, [.integer(plan.number)]) { statement in
            let row = statement.integer(0)
            let values = try plan.values.indices.map { index in
                try value(statement.value(Int32(1 + index)), plan.values[index], plan, row, &found)
            }
            let first = Int32(1 + plan.values.count)
            let references = plan.references.indices.map { index in
                reference(statement, at: first + Int32(3 * index), plan.references[index], plan, row, &found)
            }
            found.count(row: plan.name)
            try body(Stored(primaryKey: row, values: values, references: references))
        }
        findings = found
    }

    func row(_ stored: Stored, _ plan: ReadPlan) -> LegacyRow {
        var values: [String: PropertyValue] = [:]
        for (value, column) in zip(stored.values, plan.values) { values[column.name] = value }
        var toOne: [String: LegacyReference?] = [:]
        for (target, reference) in zip(stored.references, plan.references) {
            toOne[reference.name] = .some(
                target.map {
                    LegacyReference(entity: entityNames[$0.entity] ?? $0.entity, primaryKey: $0.primaryKey, position: $0.position)
                })
        }
        return LegacyRow(
            entity: plan.name, primaryKey: stored.primaryKey, recordName: recordName(stored, plan), values: values, toOne: toOne)
    }

    private func recordName(_ stored: Stored, _ plan: ReadPlan) -> RecordName {
        if let identity = plan.identity, case .uuid(let uuid) = stored.values[identity] { return .uuid(uuid) }
        var parts = zip(stored.values, plan.values).compactMap { LegacyNames.part($1.key.path, $0) }
        for (target, reference) in zip(stored.references, plan.references) {
            guard let target else { continue }
            parts.append(LegacyNames.part(reference.key.path, entity: target.entity, primaryKey: target.primaryKey))
        }
        return names.name(entity: plan.entity, primaryKey: stored.primaryKey, parts: parts)
    }

    private func value(
        _ stored: SQLiteValue, _ column: ReadPlan.Value, _ plan: ReadPlan, _ row: Int64, _ findings: inout ReadFindings
    ) throws -> PropertyValue {
        if column.isExternal, case .blob(let bytes) = stored {
            switch try external.read(bytes) {
            case .bytes(let bytes): return .data(bytes)
            case .missingFile:
                findings.note(.missingExternalFile, plan.name, column.name, row: row)
                return .null
            }
        }
        switch ColumnValue.read(stored, as: column.type) {
        case .value(let value): return value
        case .oddBoolean:
            findings.note(.oddBoolean, plan.name, column.name, row: row)
            return .boolean(true)
        case .unreadable:
            findings.note(.unreadableValue, plan.name, column.name, row: row)
            return .null
        }
    }

    private func reference(
        _ statement: Statement, at position: Int32, _ reference: ReadPlan.Reference, _ plan: ReadPlan, _ row: Int64,
        _ findings: inout ReadFindings
    ) -> (entity: String, primaryKey: Int64, position: Int64?)? {
        guard !statement.isNull(position) else { return nil }
        guard !statement.isNull(position + 1), let entity = reference.allowed[statement.integer(position + 1)] else {
            findings.note(.danglingReference, plan.name, reference.name, row: row)
            return nil
        }
        return (entity, statement.integer(position), statement.isNull(position + 2) ? nil : statement.integer(position + 2))
    }
}
