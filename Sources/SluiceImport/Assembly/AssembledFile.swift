package import SluiceSchema

/// A legacy file whose composites, or some of them, are one codable attribute each.
package final class AssembledFile: LegacyFile {
    package let schema: Schema
    package let report: ImportReport
    package var store: StagedStore { base.store }
    package var entities: [String] { base.entities }

    private let base: any LegacyFile
    /// By the row's own entity.
    private let composites: [String: [LegacyComposite]]

    package init(_ base: any LegacyFile, _ chosen: [LegacyComposite]) throws {
        self.base = base
        schema = try Self.schema(base, chosen)
        let source = base.schema
        composites = Dictionary(
            source.entities.map { entity in
                let lineage = Set(source.lineage(of: entity).map(\.name))
                return (entity.name, chosen.filter { lineage.contains($0.entity) })
            }, uniquingKeysWith: { first, _ in first })
        report = Self.report(base.report, schema, chosen)
    }

    private static func schema(_ base: any LegacyFile, _ chosen: [LegacyComposite]) throws(ImportError) -> Schema {
        var entities = base.schema.entities
        for composite in chosen {
            guard let index = entities.firstIndex(where: { $0.name == composite.entity }) else { continue }
            let members = Set(composite.attributes)
            entities[index].attributes.removeAll { members.contains($0.name) }
            entities[index].attributes.append(Attribute(composite.name, .codable, isOptional: true))
            entities[index].uniqueness.removeAll { !members.isDisjoint(with: $0) }
            entities[index].indices.removeAll { !members.isDisjoint(with: $0) }
        }
        do throws(SchemaError) { return try Schema(name: base.schema.name, version: base.schema.version, validating: entities) } catch {
            throw .unusableSchema(path: base.store.source, fault: error)
        }
    }

    /// The composites that one attribute stands for: where the mapping names them, or where the schema of the account does.
    static func chosen(_ file: any LegacyFile, _ options: LegacyFileOptions) -> [LegacyComposite] {
        file.composites.filter { composite in
            let rules = options.mapping?.entities[composite.entity]
            let rule = rules?.properties[composite.name]
            if rule != nil { return true }
            guard let target = options.target, let entity = target.entity(named: rules?.name?.text ?? composite.entity) else { return false }
            return target.attributes(of: entity).contains { $0.name == composite.name && $0.type.isBytes }
        }
    }

    private static func report(_ base: ImportReport, _ schema: Schema, _ chosen: [LegacyComposite]) -> ImportReport {
        var names: [String: String] = [:]
        for composite in chosen {
            for attribute in composite.attributes { names["\(composite.entity).\(attribute)"] = "\(composite.entity).\(composite.name)" }
        }
        let tables = base.tables.map { table in
            ImportReport.Table(
                name: table.name, fate: table.fate, rowCount: table.rowCount, importedRowCount: table.importedRowCount,
                columns: table.columns.map { column in
                    guard case .attribute(let property) = column.fate, let name = names[property] else { return column }
                    return ImportReport.Column(
                        name: column.name, declaredType: column.declaredType, fate: .attribute(property: name), valueCount: column.valueCount,
                        importedCount: column.importedCount)
                })
        }
        let notes = base.notes.filter { note in
            switch note {
            case .compositeFlattened(let property, _), .enumeration(let property, _, _): !names.values.contains(property)
            default: true
            }
        }
        let assembled = chosen.map {
            ImportNote.assembled(property: "\($0.entity).\($0.name)", members: $0.attributes)
        }
        return ImportReport(
            base, schema: schema, tables: tables, entities: base.entities, omissions: base.omissions, notes: notes + assembled)
    }

    package func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws {
        let own = composites[entity] ?? []
        guard !own.isEmpty else { return try base.forEachBatch(of: entity, body) }
        try base.forEachBatch(of: entity) { rows in try body(try rows.map { try assembled($0, own) }) }
    }

    private func assembled(_ row: LegacyRow, _ composites: [LegacyComposite]) throws -> LegacyRow {
        var values = row.values
        for composite in composites {
            let value = try CompositeValue(values: row.values).value(of: composite)
            for attribute in composite.attributes { values[attribute] = nil }
            values[composite.name] = value
        }
        return LegacyRow(entity: row.entity, primaryKey: row.primaryKey, recordName: row.recordName, values: values, toOne: row.toOne)
    }

    package func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws { try base.forEachLinkBatch(body) }
}
