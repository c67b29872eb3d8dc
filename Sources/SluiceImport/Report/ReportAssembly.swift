import SluiceSchema

extension ImportReport {
    /// The report of a Core Data file that has been read through once.
    init(
        of store: StagedStore, file: FileTables, model: ManagedModel, schema: Schema, tables: [Table], plans: [ReadPlan], survey: Survey,
        names: SchemaNames, notes: [ImportNote], refused: [(choice: Identities.Choice, reason: IdentityRefusal)]
    ) {
        kind = .coreData
        source = store.source
        digest = store.digest
        byteCount = store.byteCount
        storeIdentifier = file.storeIdentifier
        schemaName = schema.name
        schemaVersion = schema.version.description
        self.tables = tables
        entities = plans.map {
            EntityCount(entity: $0.name, number: $0.number, table: $0.table, rowCount: survey.rowCounts[$0.entity] ?? 0)
        }
        totals = Totals(tables)
        omissions = []

        var all = store.notes.map(ImportNote.staging)
        if model.origin == .tables { all.append(.modelGuessed) }
        all += names.renamed.map { .renamed(original: $0.original, name: $0.name) }
        all += notes
        all += refused.map { refusal in
            .identityRefused(
                entity: names.entities[refusal.choice.entity] ?? refusal.choice.entity, attribute: names[refusal.choice.attribute],
                reason: refusal.reason.rawValue)
        }
        all += Self.notes(on: survey.findings)
        self.notes = all
    }

    /// The report of a store of ours that was copied whole.
    init(
        copyOf store: StagedStore, storeIdentifier: String, schema: Schema, tables: [Table], entities: [EntityCount],
        lost: [ExternalValueFault]
    ) {
        kind = .sluice
        source = store.source
        digest = store.digest
        byteCount = store.byteCount
        self.storeIdentifier = storeIdentifier
        schemaName = schema.name
        schemaVersion = schema.version.description
        self.tables = tables
        self.entities = entities
        totals = Totals(tables)
        omissions = []
        let lostValues = Dictionary(grouping: lost, by: { "\($0.entity ?? "").\($0.attribute ?? "")" }).sorted { $0.key < $1.key }
        notes = store.notes.map(ImportNote.staging)
            + lostValues.map { .missingExternalFile(property: $0.key, count: $0.value.count, rows: []) }
    }

    /// The report of an export of ours.
    init(
        exportOf store: StagedStore, storeIdentifier: String, schema: Schema, tables: [Table], entities: [EntityCount], notes: [ImportNote]
    ) {
        kind = .json
        source = store.source
        digest = store.digest
        byteCount = store.byteCount
        self.storeIdentifier = storeIdentifier
        schemaName = schema.name
        schemaVersion = schema.version.description
        self.tables = tables
        self.entities = entities
        totals = Totals(tables)
        omissions = []
        self.notes = store.notes.map(ImportNote.staging) + notes
    }

    /// A file's report under a mapping.
    init(
        _ base: ImportReport, schema: Schema, tables: [Table], entities: [EntityCount], omissions: [Omission], notes: [ImportNote]
    ) {
        kind = base.kind
        source = base.source
        digest = base.digest
        byteCount = base.byteCount
        storeIdentifier = base.storeIdentifier
        schemaName = schema.name
        schemaVersion = schema.version.description
        self.tables = tables
        self.entities = entities
        totals = Totals(tables)
        self.omissions = omissions
        self.notes = notes
    }

    static func notes(on findings: ReadFindings) -> [ImportNote] {
        let subjects = findings.counts.keys.sorted { ($0.entity, $0.property, $0.kind) < ($1.entity, $1.property, $1.kind) }
        return subjects.map { subject in
            let property = "\(subject.entity).\(subject.property)"
            let count = findings.counts[subject] ?? 0
            let rows = findings.examples[subject] ?? []
            return switch subject.kind {
            case .unreadableValue: .unreadableValue(property: property, count: count, rows: rows)
            case .oddBoolean: .oddBoolean(property: property, count: count, rows: rows)
            case .missingExternalFile: .missingExternalFile(property: property, count: count, rows: rows)
            case .danglingReference: .danglingReference(relationship: property, count: count, rows: rows)
            }
        }
    }
}

extension ImportReport.Totals {
    /// Adds up. Tables that a store of ours keeps beside its rows count as neither imported nor left.
    init(_ tables: [ImportReport.Table]) {
        var (rows, objects, pairs, omitted) = (0, 0, 0, 0)
        for table in tables {
            switch table.fate {
            case .entities: objects += table.importedRowCount
            case .pairs: pairs += table.importedRowCount
            case .copied: continue
            case .left, .omitted: break
            }
            rows += table.rowCount
            omitted += table.omittedRowCount
        }
        self.init(
            tables: tables.count, columns: tables.reduce(0) { $0 + $1.columns.count }, rows: rows, importedRows: objects,
            importedLinks: pairs, omittedRows: omitted, leftRows: rows - objects - pairs - omitted)
    }
}
