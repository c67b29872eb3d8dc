import SwiftData
import Testing

/// What articles 000, 002 and 003 claim of a plan and of relationships.
@Suite struct ShoppingTests {
    private func stages(_ plan: any SchemaMigrationPlan.Type) -> [String] {
        plan.stages.map { stage in
            switch stage {
            case .lightweight(let from, let to): "lightweight \(from) to \(to)"
            case .custom(let from, let to, let before, let after): "custom \(from) to \(to) \(before != nil) \(after != nil)"
            }
        }
    }

    @Test func `S2: a plan is a typed graph of versions`() {
        #expect(AppMigrationPlan.schemas.map { $0.versionIdentifier } == [Schema.Version(1, 0, 0), Schema.Version(2, 0, 0)])
        #expect(stages(AppMigrationPlan.self) == ["lightweight SchemaV1 to SchemaV2"])
    }

    @Test func `S3: models live in their version's namespace`() {
        #expect(Schema(versionedSchema: SchemaV1.self).entities.map(\.name) == ["ShoppingItemV1"])
        #expect(Schema(versionedSchema: SchemaV2.self).entities.map(\.name) == ["ShoppingItemV2"])
        #expect(Schema.entityName(for: ShoppingItemV2.self) == "ShoppingItemV2")
    }

    @Test func `S4: a store that is not there yet is made at the newest version`() async {
        // The article's store lies where the user's stores lie: a process of its own has another such place.
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
            setenv("XDG_DATA_HOME", folder.path, 1)
            defer { try? FileManager.default.removeItem(at: folder) }
            for round in 1...2 {
                let container = try ShoppingContainer.open()
                let context = ModelContext(container)
                context.insert(ShoppingItemV2(name: "milk", amount: "1", section: "dairy"))
                try context.save()
                #expect(try context.fetch(FetchDescriptor<ShoppingItemV2>()).count { $0.lastModified != nil } == round)
                #expect(container.configurations.first?.url.path.hasPrefix(folder.path) == true)
                #expect(container.configurations.first?.url.lastPathComponent == "ShoppingList.store")
            }
        }
    }

    @Test func `S5: the stage has both closures, and they work in contexts of their own versions`() throws {
        #expect(stages(StagedMigrationPlan.self) == ["custom SchemaV1 to SchemaV2 true true"])
        guard case .custom(_, _, let willMigrate?, let didMigrate?)? = StagedMigrationPlan.stages.first else { return }
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        try willMigrate(ModelContext(try ModelContainer(for: ShoppingItemV1.self, configurations: memory)))
        let context = ModelContext(try ModelContainer(for: ShoppingItemV2.self, configurations: memory))
        let item = ShoppingItemV2(name: "milk", amount: "1", section: "dairy")
        item.lastModified = nil
        context.insert(item)
        try context.save()
        try didMigrate(context)
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<ShoppingItemV2>()).allSatisfy { $0.lastModified != nil })
    }

    @Test func `S6: deleting the list deletes its items, and either side sets the other`() throws {
        let context = ModelContext(try ModelContainer(for: List.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let list = List(name: "weekend")
        context.insert(list)
        let (milk, bread) = (ShoppingItem(name: "milk"), ShoppingItem(name: "bread"))
        list.items.append(milk)
        bread.list = list
        #expect(milk.list === list)
        #expect(Set(list.items.map(\.name)) == ["milk", "bread"])
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<List>()).first?.items.count == 2)
        context.delete(list)
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<ShoppingItem>()) == 0)
    }
}
