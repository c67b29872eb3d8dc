import SluiceData
import Testing

/// What article 001 claims of its three versions of one class.
@Suite struct ItemVersionTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "Items.store", directoryHint: .notDirectory))
    }

    @Test func `M1: versions hold the same class name side by side`() {
        let versions: [any VersionedSchema.Type] = [SchemaV1.self, SchemaV2.self, SchemaV3.self]
        let schemas = versions.map { Schema(versionedSchema: $0) }
        #expect(schemas.map { $0.entities.map(\.name) } == [["Item"], ["Item"], ["Item"]])
        #expect(schemas.map { $0.entitiesByName["Item"]?.attributes.count } == [2, 3, 4])
        #expect(schemas.map(\.version) == [Schema.Version(1, 0, 0), Schema.Version(2, 0, 0), Schema.Version(3, 0, 0)])
    }

    @Test func `M2: the plan lists its versions in order, and its stages join neighbours`() throws {
        #expect(AppMigrationPlan.schemas.map { "\($0)" } == ["SchemaV1", "SchemaV2", "SchemaV3"])
        let ends = AppMigrationPlan.stages.map { stage in
            switch stage {
            case .lightweight(let from, let to): "\(from) \(to)"
            case .custom(let from, let to, _, _): "\(from) \(to) with code"
            }
        }
        #expect(ends == ["SchemaV1 SchemaV2", "SchemaV2 SchemaV3 with code"])
    }

    @Test func `M2: the closure fills the new field of every row in ordinary code`() throws {
        guard case .custom(_, _, let willMigrate?, let didMigrate?) = AppMigrationPlan.migrateV2toV3 else {
            Issue.record("the stage lost a closure")
            return
        }
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        try willMigrate(ModelContext(try ModelContainer(for: SchemaV2.Item.self, configurations: memory)))
        let context = ModelContext(try ModelContainer(for: SchemaV3.Item.self, configurations: memory))
        for name in ["one", "two"] { context.insert(SchemaV3.Item(name: name, createdAt: .now)) }
        try context.save()
        try didMigrate(context)
        let items = try ModelContext(context.container).fetch(FetchDescriptor<SchemaV3.Item>(sortBy: [SortDescriptor(\.name)]))
        #expect(items.map(\.computedField) == ["one, computed", "two, computed"])
    }

    @Test func `M3: a fresh store opens at the newest version, and again`() throws {
        try withFolder { file in
            for round in 1...2 {
                let container = try ItemContainer.open(file)
                #expect(container.migrationPlan == AppMigrationPlan.self)
                let context = ModelContext(container)
                context.insert(SchemaV3.Item(name: "\(round)", createdAt: .now))
                try context.save()
                #expect(try context.fetchCount(FetchDescriptor<SchemaV3.Item>()) == round)
            }
        }
    }
}
