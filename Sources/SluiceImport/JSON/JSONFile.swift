import Foundation
import SluiceRecords
import SluiceSQLite
package import SluiceSchema

/// A staged JSON export of ours, as one document or as JSON lines.
///
/// Opening it reads it once and notes in a temporary database where each row lies; rows are then read from their places. So a large
/// export does not fill the memory.
package final class JSONFile: LegacyFile {
    package let store: StagedStore
    package let schema: Schema
    package let report: ImportReport
    package let entities: [String]

    private let index: JSONIndex
    private let options: LegacyFileOptions

    package init(_ store: StagedStore, options: LegacyFileOptions) throws {
        self.store = store
        self.options = options
        do {
            index = try JSONIndex(store)
            var survey = try JSONSurvey(index)
            schema = try survey.schema()
            report = survey.report(of: store, schema)
        } catch let fault as JSONFault {
            throw ImportError.malformedExport(path: store.source, fault: fault)
        } catch let fault as SchemaError {
            throw ImportError.unusableSchema(path: store.source, fault: fault)
        }
        entities = index.entities
    }

    package func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws {
        guard let declared = schema.entity(named: entity) else { return }
        let attributes = schema.attributes(of: declared)
        let toOne = schema.relationships(of: declared).filter { !$0.isToMany }
        var batch = ReadBatch<LegacyRow>(options)
        try index.forEachRow(of: entity) { ordinal, row, byteCount in
            var values: [String: PropertyValue] = [:]
            for attribute in attributes {
                values[attribute.name] = row.values[attribute.name]?.scalar?.property(as: attribute.type) ?? .null
            }
            var references: [String: LegacyReference?] = [:]
            for relationship in toOne {
                let target = try row.references[relationship.name].flatMap { try index.place(of: $0, in: relationship.destination) }
                references[relationship.name] = .some(target.map { $0.at(row.positions[relationship.name]) })
            }
            try batch.add(
                LegacyRow(entity: entity, primaryKey: ordinal, recordName: row.name, values: values, toOne: references),
                byteCount: byteCount, body)
        }
        try batch.finish(body)
    }

    package func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws {
        var batch = ReadBatch<LegacyLink>(options)
        try index.forEachLink { link in
            guard let found = try index.resolved(link) else { return }
            try batch.add(found, byteCount: 128, body)
        }
        try batch.finish(body)
    }
}
