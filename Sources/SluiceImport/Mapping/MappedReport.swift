import SluiceSchema

/// The report of a file under a mapping: the file's own, with what is omitted counted where it lay.
struct MappedReport {
    private let plan: MappingPlan
    private let losses: MappedRows.Losses

    init(_ plan: MappingPlan, _ losses: MappedRows.Losses) {
        self.plan = plan
        self.losses = losses
    }

    func report(_ base: ImportReport, _ schema: Schema, _ notes: [ImportNote]) -> ImportReport {
        let entities = base.entities.compactMap { count in
            plan.entityNames[count.entity].map {
                ImportReport.EntityCount(entity: $0, number: count.number, table: count.table, rowCount: count.rowCount)
            }
        }
        let toOmitted = losses.toOmitted.sorted { $0.key.text < $1.key.text }
            .map { ImportNote.referenceToOmitted(relationship: plan.renamed($0.key.text), count: $0.value) }
        return ImportReport(
            base, schema: schema, tables: base.tables.map { table($0, base) }, entities: entities, omissions: omissions(base),
            notes: base.notes + notes + toOmitted)
    }

    private func omissions(_ base: ImportReport) -> [ImportReport.Omission] {
        let entities = base.entities.compactMap { count in
            plan.omittedEntities[count.entity].map {
                ImportReport.Omission(subject: count.entity, reason: $0, rowCount: count.rowCount, valueCount: 0)
            }
        }
        let properties = plan.omittedProperties.sorted { $0.key.text < $1.key.text }.map { key, reason in
            let values = losses.values.filter { $0.key.key == key }.reduce(0) { $0 + $1.value } + (losses.links[key] ?? 0)
            return ImportReport.Omission(subject: key.text, reason: reason, rowCount: 0, valueCount: values)
        }
        return entities + properties
    }

    private func table(_ table: ImportReport.Table, _ base: ImportReport) -> ImportReport.Table {
        switch table.fate {
        case .left, .copied, .omitted: return table
        case .pairs(let relationship): return pairs(table, relationship)
        case .entities(let root):
            let members = base.entities.filter { $0.table == table.name }
            let omitted = members.filter { plan.omittedEntities[$0.entity] != nil }.reduce(0) { $0 + $1.rowCount }
            let fate: ImportReport.TableFate =
                plan.omittedEntities[root].map { .omitted(reason: $0) } ?? .entities(root: plan.entityNames[root] ?? root)
            return ImportReport.Table(
                name: table.name, fate: fate, rowCount: table.rowCount, importedRowCount: table.importedRowCount - omitted,
                omittedRowCount: omitted,
                columns: table.columns.map { column($0, of: members.map(\.entity), omittedRows: omitted, table) })
        }
    }

    private func pairs(_ table: ImportReport.Table, _ relationship: String) -> ImportReport.Table {
        guard let key = MappingPlan.Key(relationship) else { return table }
        let omitted = losses.links[key] ?? 0
        let reason = plan.reason(for: key)
        let columns = table.columns.map { column -> ImportReport.Column in
            if case .left = column.fate { return column }
            let count = max(0, column.importedCount - omitted)
            return ImportReport.Column(
                name: column.name, declaredType: column.declaredType,
                fate: reason.map { .omitted(property: relationship, reason: $0) } ?? renamed(column.fate), valueCount: column.valueCount,
                importedCount: count)
        }
        return ImportReport.Table(
            name: table.name, fate: reason.map { .omitted(reason: $0) } ?? .pairs(relationship: plan.renamed(relationship)),
            rowCount: table.rowCount, importedRowCount: table.importedRowCount - omitted, omittedRowCount: omitted, columns: columns)
    }

    private func column(
        _ column: ImportReport.Column, of entities: [String], omittedRows: Int, _ table: ImportReport.Table
    ) -> ImportReport.Column {
        func made(_ fate: ImportReport.ColumnFate, _ count: Int) -> ImportReport.Column {
            ImportReport.Column(
                name: column.name, declaredType: column.declaredType, fate: fate, valueCount: column.valueCount, importedCount: max(0, count))
        }
        let (text, isPosition): (String, Bool)
        switch column.fate {
        case .attribute(let property): (text, isPosition) = (property, false)
        case .reference(let relationship), .entityOfReference(let relationship): (text, isPosition) = (relationship, false)
        case .position(let relationship): (text, isPosition) = (relationship, true)
        case .structure: return made(column.fate, column.importedCount - omittedRows)
        case .copied, .left, .omitted: return column
        }
        guard let key = MappingPlan.Key(text) else { return column }
        if let reason = plan.reason(for: key) { return made(.omitted(property: text, reason: reason), 0) }
        let counts = isPosition ? losses.positions : losses.values
        // A column without an own property of these rows holds members of a to-many.
        let lost = entities.reduce(losses.links[key] ?? 0) { $0 + (counts[.init(entity: $1, key: key)] ?? 0) }
        return made(renamed(column.fate), column.importedCount - lost)
    }

    private func renamed(_ fate: ImportReport.ColumnFate) -> ImportReport.ColumnFate {
        switch fate {
        case .attribute(let property): .attribute(property: plan.renamed(property))
        case .reference(let relationship): .reference(relationship: plan.renamed(relationship))
        case .entityOfReference(let relationship): .entityOfReference(relationship: plan.renamed(relationship))
        case .position(let relationship): .position(relationship: plan.renamed(relationship))
        case .structure, .copied, .left, .omitted: fate
        }
    }
}
