import SwiftData
import Testing

/// What articles 000, 002 and 003 claim of stores that the first version left: S2 to S5 over rows.
@Suite struct ShoppingMigrationTests {
    /// Rows of the first version, each property with a value of its own.
    private static let amounts = ["milk": "2 l", "bread": "1", "soap": ""]

    private static func fill(_ configuration: ModelConfiguration) throws -> [UUID: String] {
        let context = ModelContext(try ModelContainer(for: ShoppingItemV1.self, configurations: configuration))
        var names: [UUID: String] = [:]
        for (place, (name, amount)) in amounts.sorted(by: { $0.key < $1.key }).enumerated() {
            let item = ShoppingItemV1(name: name, amount: amount, section: "section \(place)", isOptional: place == 1, sortOrder: place - 1)
            item.isChecked = place == 2
            context.insert(item)
            names[item.id] = name
        }
        try context.save()
        return names
    }

    /// Whether the second version has each row with all that the first put there.
    private static func check(_ items: [ShoppingItemV2], _ names: [UUID: String]) {
        #expect(Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0.name) }) == names)
        for (place, item) in items.sorted(by: { $0.name < $1.name }).enumerated() {
            #expect(item.amount == amounts[item.name] && item.section == "section \(place)" && item.sortOrder == place - 1)
            #expect(item.isOptional == (place == 1) && item.isChecked == (place == 2))
        }
    }

    private func withStore(_ body: (ModelConfiguration) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(ModelConfiguration(url: folder.appending(path: "ShoppingList.store", directoryHint: .notDirectory)))
    }

    @Test func `S4, behaviours 29, 40, 44: a store of the first version is brought to the second with its rows`() async {
        // The article's store lies where the user's stores lie: a process of its own has another such place.
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "articles-\(UUID())")
            setenv("XDG_DATA_HOME", folder.path, 1)
            defer { try? FileManager.default.removeItem(at: folder) }
            let names = try ShoppingMigrationTests.fill(ModelConfiguration("ShoppingList"))
            for round in 1...2 {
                let context = ModelContext(try ShoppingContainer.open())
                let old = try context.fetch(FetchDescriptor<ShoppingItemV2>(predicate: #Predicate { $0.lastModified == nil }))
                ShoppingMigrationTests.check(old, names)
                context.insert(ShoppingItemV2(name: "tea \(round)", amount: "1", section: "dry"))
                try context.save()
                #expect(try context.fetchCount(FetchDescriptor<ShoppingItemV2>()) == 3 + round)
            }
            // The identifier is unique as before: the same once more is the same row.
            let context = ModelContext(try ShoppingContainer.open())
            let milk = try #require(names.first { $0.value == "milk" }?.key)
            context.insert(ShoppingItemV2(id: milk, name: "oat milk", amount: "1", section: "dairy"))
            try context.save()
            let descriptor = FetchDescriptor<ShoppingItemV2>(predicate: #Predicate { $0.id == milk })
            #expect(try ModelContext(context.container).fetch(descriptor).map(\.name) == ["oat milk"])
            #expect(try context.fetchCount(FetchDescriptor<ShoppingItemV2>()) == 5)
        }
    }

    @Test func `S5, behaviours 45, 46, 49, 53: every row has the new field, and what was staged came from the first version`() throws {
        try withStore { configuration in
            let names = try Self.fill(configuration)
            let staged = StagedState()
            try StagedState.$current.withValue(staged) {
                let begin = Date()
                let container = try ModelContainer(
                    for: ShoppingItemV2.self, migrationPlan: StagedMigrationPlan.self, configurations: configuration)
                let items = try ModelContext(container).fetch(FetchDescriptor<ShoppingItemV2>())
                Self.check(items, names)
                #expect(items.allSatisfy { $0.lastModified.map { $0 >= begin } == true })
                #expect(staged.lists == [[" soap", "1 bread", "2 l milk"]])
            }
            // What the closure saved is there without it, and the next opening runs nothing.
            try StagedState.$current.withValue(staged) {
                let container = try ModelContainer(
                    for: ShoppingItemV2.self, migrationPlan: StagedMigrationPlan.self, configurations: configuration)
                #expect(try ModelContext(container).fetch(FetchDescriptor<ShoppingItemV2>()).count { $0.lastModified != nil } == 3)
                #expect(staged.lists.count == 1)
            }
        }
    }

    @Test func `behaviour 29: without a plan a class of another name ending is the same class too`() throws {
        try withStore { configuration in
            let names = try Self.fill(configuration)
            let container = try ModelContainer(for: ShoppingItemV2.self, configurations: configuration)
            Self.check(try ModelContext(container).fetch(FetchDescriptor<ShoppingItemV2>()), names)
        }
    }
}
