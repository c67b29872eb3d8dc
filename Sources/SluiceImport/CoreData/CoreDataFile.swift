import SluiceSQLite
package import SluiceSchema

/// A staged Core Data or SwiftData file: its schema, its report, and its rows as a stream.
///
///     let file = try CoreDataFile(staged, options: .init(schemaName: "notes"))
///     for entity in file.entities { try file.forEachBatch(of: entity) { rows in … } }
///     try file.forEachLinkBatch { links in … }
///
/// Opening it reads every row once, because the schema must hold for all of them. Used on one executor.
package final class CoreDataFile: LegacyFile {
    package typealias Options = LegacyFileOptions

    package let store: StagedStore
    package let schema: Schema
    package let report: ImportReport
    package let composites: [LegacyComposite]
    /// Entities with rows of their own in the file's order, parents before children.
    package var entities: [String] { plans.map(\.name) }

    private let connection: Connection
    private let options: Options
    private let plans: [ReadPlan]
    private let reader: RowReader
    private let links: LinkReader

    package init(_ store: StagedStore, options: Options) throws {
        self.store = store
        self.options = options
        connection = try Connection(path: store.path, mode: .readOnly)
        let file = try FileTables(reading: connection)
        let model = try Self.model(of: file, store: store)
        let layout = FileLayout(model, in: file)
        let names = SchemaNames(model)
        var readPlans = try ReadPlans(model, layout, names, connection)
        let external = ExternalValues(folder: store.externalData)
        reader = RowReader(
            connection: connection, external: external,
            names: LegacyNames(storeIdentifier: file.storeIdentifier), entityNames: names.entities)
        links = LinkReader(model, layout, names)

        var survey = try Survey(readPlans.plans, reader)
        let linkCounts = try survey.count(links, connection)
        let uniqueness = try UniquenessSurvey(connection)
        let identities = try Identities(model, layout, names, mapping: options.identities, survey: survey, uniqueness)
        var draft = SchemaDraft(
            model: model, layout: layout, names: names, external: readPlans.external, survey: survey, identities: identities,
            uniqueness: uniqueness)
        do {
            schema = try draft.schema(named: options.schemaName)
        } catch let fault as SchemaError {
            throw ImportError.unusableSchema(path: store.source, fault: fault)
        }
        composites = LegacyComposite.all(in: model, schema, names)
        readPlans.adopt(types: draft.types, identities: identities.chosen.map(\.attribute))
        plans = readPlans.plans
        var account = FileAccount(
            file: file, model: model, layout: layout, names: names, survey: survey, links: links, linkCounts: linkCounts,
            connection: connection)
        let tables = try account.tables()
        let spare = try external.unreferenced(
            columns: readPlans.plans.flatMap { plan in plan.values.filter(\.isExternal).map { (plan.table, $0.column) } }, connection)
        let spareNotes: [ImportNote] = spare.isEmpty ? [] : [.unreferencedExternalFiles(count: spare.count, names: Array(spare.prefix(5)))]
        report = ImportReport(
            of: store, file: file, model: model, schema: schema, tables: tables, plans: plans, survey: survey, names: names,
            notes: draft.notes + account.notes + spareNotes, refused: identities.refused)
    }

    private static func model(of file: FileTables, store: StagedStore) throws -> ManagedModel {
        guard let cache = file.modelCache, !cache.isEmpty else { return ModelFromTables(file: file).model() }
        do {
            return try ModelArchive.decode(cache)
        } catch let fault {
            throw ImportError.unreadableModel(path: store.source, fault: fault)
        }
    }

    // MARK: Rows

    /// Calls `body` with the entity's own rows (not its subentities'), in the order of their numbers.
    package func forEachBatch(of entity: String, _ body: ([LegacyRow]) throws -> Void) throws {
        for plan in plans where plan.name == entity {
            var batch = ReadBatch<LegacyRow>(options)
            var findings = ReadFindings()
            try reader.forEachStored(plan, &findings) { stored in
                try batch.add(reader.row(stored, plan), byteCount: stored.values.reduce(64) { $0 + $1.byteCount }, body)
            }
            try batch.finish(body)
        }
    }

    /// Calls `body` with every membership that no to-one holds, grouped by relationship and owner.
    package func forEachLinkBatch(_ body: ([LegacyLink]) throws -> Void) throws {
        var batch = ReadBatch<LegacyLink>(options)
        var findings = ReadFindings()
        try links.forEachLink(connection, &findings) { try batch.add($0, byteCount: 128, body) }
        try batch.finish(body)
    }
}
