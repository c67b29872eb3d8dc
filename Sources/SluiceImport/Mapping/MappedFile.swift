package import SluiceSchema

/// A legacy file under other names, without what its mapping omits. Record names stay those of the file: a mapping that is changed later
/// doubles nothing.
package final class MappedFile: LegacyFile {
    package let schema: Schema
    package let report: ImportReport
    package var store: StagedStore { base.store }
    package let entities: [String]

    private let base: any LegacyFile
    private let rows: MappedRows
    /// The file's own names of the entities that stay, by new name.
    private let sources: [String: String]

    /// Reads every row once where the mapping omits or converts something.
    /// - Throws: `ImportError.unusableMapping`, naming each word that means nothing in this file.
    package init(_ base: any LegacyFile, _ mapping: LegacyMapping) throws {
        self.base = base
        let plan = try MappingPlan(mapping, for: base.schema, kind: base.report.kind)
        let rows = MappedRows(plan)
        self.rows = rows
        var losses = MappedRows.Losses()
        if plan.changesValues {
            for entity in base.entities { try base.forEachBatch(of: entity) { for row in $0 { _ = rows.row(row, &losses) } } }
            try base.forEachLinkBatch { for link in $0 { _ = rows.link(link, &losses) } }
        }
        var mapped = MappedSchema(plan)
        do { schema = try mapped.schema(losses) } catch {
            throw ImportError.contradictoryMapping(file: mapping.file, fault: error)
        }
        entities = base.entities.compactMap { plan.entityNames[$0] }
        sources = Dictionary(plan.entityNames.map { ($1, $0) }) { first, _ in first }
        report = MappedReport(plan, losses).report(base.report, schema, mapped.notes)
    }

    package func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws {
        guard let source = sources[entity] else { return }
        var losses = MappedRows.Losses()
        try base.forEachBatch(of: source) { try body($0.compactMap { rows.row($0, &losses) }) }
    }

    package func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws {
        var losses = MappedRows.Losses()
        try base.forEachLinkBatch { links in
            let kept = links.compactMap { rows.link($0, &losses) }
            if !kept.isEmpty { try body(kept) }
        }
    }
}
