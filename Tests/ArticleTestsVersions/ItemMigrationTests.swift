import SluiceData
import Testing

/// What article 001 claims of stores of its earlier versions: M2, M3 and M5 over rows.
@Suite struct ItemMigrationTests {
    private static let names = ["", "one", "two"]
    private static let date = Date(timeIntervalSince1970: 1_700_000_000.25)

    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "Items.store", directoryHint: .notDirectory))
    }

    private func fillFirst(_ file: URL) throws {
        let context = ModelContext(try ModelContainer(for: SchemaV1.Item.self, configurations: ModelConfiguration(url: file)))
        for name in Self.names { context.insert(SchemaV1.Item(name: name, createdAt: Self.date)) }
        try context.save()
    }

    private func fillSecond(_ file: URL) throws {
        let context = ModelContext(try ModelContainer(for: SchemaV2.Item.self, configurations: ModelConfiguration(url: file)))
        for name in Self.names {
            let item = SchemaV2.Item(name: name, createdAt: Self.date)
            item.note = "note of \(name)"
            context.insert(item)
        }
        try context.save()
    }

    private func items(_ container: ModelContainer) throws -> [SchemaV3.Item] {
        let items = try ModelContext(container).fetch(FetchDescriptor<SchemaV3.Item>(sortBy: [SortDescriptor(\.name)]))
        #expect(items.map(\.name) == Self.names && items.allSatisfy { $0.createdAt == Self.date })
        return items
    }

    @Test func `M2, behaviours 40, 44: a store of the first version goes through both stages, and every row has the new field`() throws {
        try withFile { file in
            try fillFirst(file)
            let items = try items(ItemContainer.open(file))
            #expect(items.map(\.computedField) == [", computed", "one, computed", "two, computed"])
            #expect(items.map(\.note) == ["", "", ""])
        }
    }

    @Test func `M3, behaviours 40, 65: a store of the second version goes through the second stage alone`() throws {
        try withFile { file in
            try fillSecond(file)
            let items = try items(ItemContainer.open(file))
            #expect(items.map(\.computedField) == [", computed", "one, computed", "two, computed"])
            #expect(items.map(\.note) == ["note of ", "note of one", "note of two"])
        }
    }

    @Test func `M3, behaviour 53: a store that has been through the stages keeps what was written since`() throws {
        try withFile { file in
            try fillFirst(file)
            do {
                let context = ModelContext(try ItemContainer.open(file))
                try context.fetch(FetchDescriptor<SchemaV3.Item>()).forEach { $0.computedField = "by hand" }
                try context.save()
            }
            #expect(try items(ItemContainer.open(file)).allSatisfy { $0.computedField == "by hand" })
        }
    }

    @Test func `M5, behaviour 32: without a plan the same stores open and have the defaults`() throws {
        for fill in [fillFirst, fillSecond] {
            try withFile { file in
                try fill(file)
                let container = try ModelContainer(for: SchemaV3.Item.self, configurations: ModelConfiguration(url: file))
                #expect(container.migrationPlan == nil)
                #expect(try items(container).allSatisfy { $0.computedField.isEmpty })
            }
        }
    }
}
