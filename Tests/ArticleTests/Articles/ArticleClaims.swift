import SluiceSchema
import SluiceStore
import SwiftData
import Testing

/// What articles 000 to 004 claim of the snippets beside this file, where no numbered behaviour says it already.
@Suite struct ArticleClaims {
    @Test func `S1: the initialiser's defaults are on new rows, and a later mutation is tracked`() throws {
        let context = ModelContext(try .inMemory(ShoppingItem.self))
        let item = ShoppingItem(name: "milk", amount: "1", section: "dairy")
        #expect(item.lastModified != nil && !item.isChecked && item.sortOrder == 0)
        context.insert(item)
        try context.save()
        item.lastModified = nil
        try context.save()
        #expect(try ModelContext(context.container).all(ShoppingItem.self).first?.lastModified == nil)
    }

    @Test func `M4, M5, behaviours 24, 32: a property with a default in its declaration needs neither plan nor stage`() throws {
        let folder = try StoreFolder()
        do {
            let context = ModelContext(try ModelContainer(for: ItemBefore.Item.self, configurations: folder.configuration()))
            for name in ["one", "two"] { context.insert(ItemBefore.Item(name: name, createdAt: Date(timeIntervalSince1970: 1))) }
            try context.save()
        }
        for round in 1...2 {
            let container = try ItemContainer.open(folder.file())
            #expect(container.migrationPlan == nil)
            let context = ModelContext(container)
            context.insert(SchemaV1.Item(name: "\(round)", createdAt: .now))
            try context.save()
            let items = try context.all(SchemaV1.Item.self)
            #expect(items.map(\.isFavorite) == Array(repeating: false, count: 2 + round))
            let old = items.filter { $0.createdAt == Date(timeIntervalSince1970: 1) }
            #expect(old.map(\.name).sorted() == ["one", "two"])
        }
    }

    @Test func `M4, behaviour 43: two versions of the same classes are an error that names both, before any file is there`() throws {
        let folder = try StoreFolder()
        let error = #expect(throws: SwiftDataError.duplicateVersionChecksums) {
            _ = try ModelContainer(for: SchemaV1.Item.self, migrationPlan: RepeatedItemPlan.self, configurations: folder.configuration())
        }
        let text = error?.localizedDescription ?? ""
        for word in ["Duplicate version checksums across stages detected", "SchemaV1", "ItemAgain"] {
            #expect(text.contains(word), "\(text)")
        }
        #expect(try folder.digests().isEmpty)
    }

    @Test func `M7, behaviour 59: rows of the flat class stay rows of the parent when it gains a child`() throws {
        let folder = try StoreFolder()
        do {
            let context = ModelContext(try ModelContainer(for: FlatVehicles.Vehicle.self, configurations: folder.configuration()))
            for (make, year) in [("Cargo bike", 2020), ("Wagon", 2021)] { context.insert(FlatVehicles.Vehicle(make: make, year: year)) }
            try context.save()
        }
        for round in 1...2 {
            let container = try ModelContainer(
                for: Vehicle.self, Car.self, migrationPlan: VehiclePlan.self, configurations: folder.configuration())
            let context = ModelContext(container)
            let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.year)]))
            #expect(vehicles.prefix(2).map { "\($0.make) \($0.year) \($0 is Car)" } == ["Cargo bike 2020 false", "Wagon 2021 false"])
            context.insert(Car(make: "Van", year: 2021 + round, doorCount: 4))
            try context.save()
            #expect(try context.all(Car.self).map(\.doorCount) == Array(repeating: 4, count: round))
            #expect(try context.count(Vehicle.self) == 2 + round)
        }
    }

    @Test func `M7: a fetch of the parent returns children, and a child keeps its parent's properties`() throws {
        let context = ModelContext(try .inMemory(Vehicle.self, Car.self))
        context.insert(Vehicle(make: "Cargo bike", year: 2020))
        context.insert(Car(make: "Wagon", year: 2021, doorCount: 5))
        try context.save()
        let other = ModelContext(context.container)
        let vehicles = try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.year)]))
        #expect(vehicles.map(\.make) == ["Cargo bike", "Wagon"])
        #expect(vehicles.map { $0 is Car } == [false, true])
        #expect((vehicles.last as? Car)?.doorCount == 5)
        #expect(try other.all(Car.self).map(\.year) == [2021])
    }

    @Test func `E1: identity is the framework's besides the domain's own UUID`() throws {
        let context = ModelContext(try .inMemory(Note.self))
        let note = Note(title: "one")
        context.insert(note)
        try context.save()
        let id: UUID = note.id
        #expect(note.persistentModelID.entityName == "Note")
        #expect(try ModelContext(context.container).all(Note.self).map(\.id) == [id])
    }

    @Test func `E2: the pair is unique and the date has an index`() throws {
        let entity = try #require(SwiftData.Schema([CachedArticle.self]).entity(for: CachedArticle.self))
        #expect(entity.uniquenessConstraints == [["sourceID", "remoteID"]])
        #expect(entity.indices == [["updatedAt"]])
    }

    @Test func `E3, behaviours 41, 54: a store from before the plan opens with it, and again, its version written down`() throws {
        let folder = try StoreFolder()
        let note = Note(title: "one", body: "two")
        let (id, created) = (note.id, note.createdAt)
        do {
            let context = ModelContext(try ModelContainer(for: Note.self, configurations: folder.configuration()))
            context.insert(note)
            try context.save()
        }
        for _ in 0..<2 {
            let container = try ModelContainer(
                for: Note.self, migrationPlan: NotesMigrationPlan.self, configurations: folder.configuration())
            let found = try #require(try ModelContext(container).all(Note.self).first)
            #expect((found.id, found.title, found.body) == (id, "one", "two") && found.createdAt == created)
        }
        #expect(try Store.schema(at: folder.file().path)?.version == SchemaVersion(1, 0, 0))
    }

    @Test func `E4: an actor returns the newest, sorted in the store, as values`() async throws {
        let container = try ModelContainer.inMemory(Note.self)
        let context = ModelContext(container)
        for number in 0..<10 {
            let note = Note(title: "\(number)")
            note.modifiedAt = Date(timeIntervalSinceReferenceDate: Double((number * 7) % 10))
            context.insert(note)
        }
        try context.save()
        let newest = try await NotesStore(modelContainer: container).recent(limit: 3)
        let expected = try context.all(Note.self).sorted { $0.modifiedAt > $1.modifiedAt }.prefix(3)
        #expect(newest.map(\.title) == expected.map(\.title))
        #expect(newest.map(\.id) == expected.map(\.id))
    }

    @Test func `E5: a private configuration needs the entitlement; its identifier stays readable`() {
        let (configuration, result) = NotesConfiguration.open()
        #expect(configuration.cloudKitContainerIdentifier == "iCloud.com.example.notes")
        #expect(configuration.name == "Notes" && configuration.schema?.entities.map(\.name) == ["Note"])
        // The article says that it is configuration and no proof. At Apple's it opens anywhere; here the first opening says it.
        #expect(throws: SwiftDataError.missingEntitlement) { try result.get() }
        #expect(!FileManager.default.fileExists(atPath: configuration.url.path))
    }
}
