import SwiftData
import Testing

/// Behaviours 66 to 78, as far as they need neither a migration nor a group container. A helper is a configuration that may not save.
@Suite struct SeveralProcessesBehaviours {
    @Test func `behaviour 66: a helper without a plan never migrates`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let before = try folder.digests()
        for _ in 0..<2 {
            #expect(throws: SwiftDataError.self) {
                _ = try ModelContainer(for: RemindersWithOwner.Reminder.self, configurations: folder.configuration(allowsSave: false))
            }
        }
        #expect(try folder.digests() == before)
    }

    @Test func `behaviour 67: a helper at an older store is told that a migration is needed`() throws {
        let folder = try StoreFolder()
        try folder.makeReminders()
        let error = #expect(throws: SwiftDataError.migrationRequired) {
            _ = try ModelContainer(for: RemindersWithOwner.Reminder.self, configurations: folder.configuration(allowsSave: false))
        }
        #expect(error?.explanation?.contains("Reminder.owner") == true)
        let words = #expect(throws: SwiftDataError.self) {
            _ = try ModelContainer(for: RemindersWithWords.Reminder.self, configurations: folder.configuration(allowsSave: false))
        }
        #expect(words?.localizedDescription.contains("Reminder.priority") == true)
        // What the helper knows already, it reads.
        let helper = try ModelContainer(for: Reminders1.Reminder.self, configurations: folder.configuration(allowsSave: false))
        let context = ModelContext(helper)
        #expect(try context.count(Reminders1.Reminder.self) == 2)
        context.insert(Reminders1.Reminder(text: "soap", priority: 3))
        #expect(throws: SwiftDataError.self) { try context.save() }
    }

    @Test func `behaviour 73: an identifier is of one store, a unique UUID is the same everywhere`() throws {
        let folder = try StoreFolder()
        let id = UUID()
        let contexts = try ["Phone", "Watch"].map { name -> ModelContext in
            let context = ModelContext(try ModelContainer(for: ShoppingItem.self, configurations: folder.configuration(name)))
            context.insert(ShoppingItem(id: id, name: name, amount: "1", section: "dairy"))
            try context.save()
            return context
        }
        let items = try contexts.map { try #require(try $0.all(ShoppingItem.self).first) }
        #expect(items[0].id == items[1].id)
        #expect(items[0].persistentModelID != items[1].persistentModelID)
        #expect(items[0].persistentModelID.storeIdentifier != items[1].persistentModelID.storeIdentifier)
        // An identifier of another store finds nobody.
        let stranger = contexts[1].model(for: items[0].persistentModelID) as? ShoppingItem
        #expect(stranger?.modelContext == nil && stranger?.name != "Watch")
        let descriptor = FetchDescriptor<ShoppingItem>(predicate: #Predicate { $0.id == id })
        #expect(try contexts.map { try $0.fetch(descriptor).map(\.name) } == [["Phone"], ["Watch"]])
    }
}
