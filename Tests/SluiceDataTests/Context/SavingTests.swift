import SluiceData
import Testing

struct SavingTests {
    @Test func `a model with a unique value that a row has becomes that row`() throws {
        let library = try Stacks()
        library.context.insert(Writer(name: "Ada"))
        try library.context.save()
        let again = Writer(name: "Ada")
        let book = Volume(title: "Notes", author: again)
        library.context.insert(again)
        library.context.insert(book)
        #expect(library.context.insertedModelsArray.count == 2)
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Writer>()) == 1)
        #expect(try library.other.only(Volume.self)?.author?.name == "Ada")
        #expect(again.persistentModelID == (try library.context.only(Writer.self))?.persistentModelID)
    }

    @Test func `unique over two properties merges only where both are equal`() throws {
        let library = try Stacks()
        for (name, language) in [("essays", "en"), ("essays", "de"), ("essays", "en"), ("maths", "en")] {
            library.context.insert(Subject(name: name, language: language))
        }
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Subject>()) == 3)
    }

    @Test func `two rows may swap their unique values in one save`() throws {
        let library = try Stacks()
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        try library.context.save()
        (ada.name, alan.name) = (alan.name, ada.name)
        try library.context.save()
        let names = try library.other.all(Writer.self).sorted { $0.persistentModelID < $1.persistentModelID }.map(\.name)
        #expect(names == ["Alan", "Ada"])
    }

    @Test func `a unique value can be given to a new model in the save that deletes its owner`() throws {
        let library = try Stacks()
        let first = Writer(name: "Ada")
        library.context.insert(first)
        try library.context.save()
        library.context.delete(first)
        let second = Writer(name: "Ada")
        library.context.insert(second)
        try library.context.save()
        let authors = try library.other.all(Writer.self)
        #expect(authors.count == 1)
        #expect(authors.first?.persistentModelID == second.persistentModelID)
        #expect(first.persistentModelID != second.persistentModelID)
    }

    @Test func `a changed value that another row has is refused, and everything stays pending`() throws {
        let library = try Stacks()
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        try library.context.save()
        alan.name = "Ada"
        #expect(throws: (any Error).self) { try library.context.save() }
        #expect(library.context.hasChanges)
        alan.name = "Grace"
        try library.context.save()
        #expect(try library.other.all(Writer.self).map(\.name).sorted() == ["Ada", "Grace"])
    }

    @Test func `identifiers become those of rows when a model is saved`() throws {
        let library = try Stacks()
        let author = Writer(name: "Ada")
        let before = author.persistentModelID
        library.context.insert(author)
        #expect(author.persistentModelID == before)
        #expect(before.storeIdentifier == nil)
        let registered: Writer? = library.context.registeredModel(for: before)
        #expect(registered === author)
        try library.context.save()
        #expect(author.persistentModelID != before)
        #expect(author.persistentModelID.storeIdentifier == library.container.storeIdentifier(forConfigurationNamed: "default"))
        #expect(library.context.model(for: author.persistentModelID) === author)
    }

    @Test func `a context has one instance for each row`() throws {
        let library = try Stacks()
        library.context.insert(Volume(title: "Notes", author: Writer(name: "Ada")))
        try library.context.save()
        let context = library.other
        let book = try #require(try context.only(Volume.self))
        #expect(try context.only(Volume.self) === book)
        #expect(book.author?.books.first === book)
        #expect(context.model(for: book.persistentModelID) === book)
        #expect(try library.context.only(Volume.self) !== book)
    }

    @Test func `another context's save shows up on the next fetch, and unsaved edits stay`() throws {
        let library = try Stacks()
        library.context.insert(Volume(title: "Notes", pages: 1))
        try library.context.save()
        let here = try #require(try library.context.only(Volume.self))
        let context = library.other
        let there = try #require(try context.only(Volume.self))
        there.title = "Other notes"
        there.pages = 2
        try context.save()
        here.pages = 3
        #expect(try library.context.only(Volume.self) === here)
        #expect(here.title == "Other notes")
        #expect(here.pages == 3)
        try library.context.save()
        #expect(try library.other.only(Volume.self)?.pages == 3)
        #expect(try library.other.only(Volume.self)?.title == "Other notes")
    }

    @Test func `rollback forgets insertions, edits and deletions`() throws {
        let library = try Stacks()
        let kept = Volume(title: "kept")
        let doomed = Volume(title: "doomed")
        library.context.insert(kept)
        library.context.insert(doomed)
        try library.context.save()
        kept.title = "edited"
        library.context.delete(doomed)
        let extra = Volume(title: "extra")
        library.context.insert(extra)
        #expect(library.context.hasChanges)
        library.context.rollback()
        #expect(!library.context.hasChanges)
        #expect(kept.title == "kept")
        #expect(!doomed.isDeleted)
        #expect(extra.modelContext == nil)
        #expect(extra.title == "extra")
        #expect(try library.context.all(Volume.self).map(\.title).sorted() == ["doomed", "kept"])
    }

    @Test func `a transaction saves once at its end, or not at all`() throws {
        let library = try Stacks()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try library.context.transaction {
                library.context.insert(Volume(title: "never"))
                throw Stop()
            }
        }
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 0)
        try library.context.transaction {
            library.context.insert(Volume(title: "one"))
            try library.context.save()
            #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 0)
            library.context.insert(Volume(title: "two"))
        }
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 2)
    }

    @Test func `unsaved edits count in fetches unless the descriptor says otherwise`() throws {
        let library = try Stacks()
        let saved = Volume(title: "saved")
        library.context.insert(saved)
        try library.context.save()
        library.context.insert(Volume(title: "new"))
        var descriptor = FetchDescriptor<Volume>()
        #expect(try library.context.fetchCount(descriptor) == 2)
        library.context.delete(saved)
        #expect(try library.context.fetch(descriptor).map(\.title) == ["new"])
        descriptor.includePendingChanges = false
        #expect(try library.context.fetch(descriptor).map(\.title) == ["saved"])
    }

    @Test func `a model of another context is related as this context's own instance`() throws {
        let library = try Stacks()
        library.context.insert(Writer(name: "Ada"))
        try library.context.save()
        let context = library.other
        let foreign = try #require(try context.only(Writer.self))
        let book = Volume(title: "Notes")
        library.context.insert(book)
        book.author = foreign
        #expect(book.author !== foreign)
        #expect(book.author?.name == "Ada")
        try library.context.save()
        let unsaved = Writer(name: "Nobody")
        context.insert(unsaved)
        book.author = unsaved
        #expect(throws: SwiftDataError.self) { try library.context.save() }
    }

    @Test func `saving posts what happened`() async throws {
        let library = try Stacks()
        let author = Writer(name: "Ada")
        library.context.insert(author)
        nonisolated(unsafe) var info: [AnyHashable: Any] = [:]
        let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: library.context, queue: nil) {
            info = $0.userInfo ?? [:]
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try library.context.save()
        let inserted = info[ModelContext.NotificationKey.insertedIdentifiers.rawValue] as? [PersistentIdentifier]
        #expect(inserted == [author.persistentModelID])
    }

    @Test @MainActor func `the main context saves by itself once it is quiet`() async throws {
        let library = try Stacks()
        let context = library.container.mainContext
        #expect(context.autosaveEnabled)
        #expect(!library.context.autosaveEnabled)
        let saved = AsyncStream<Void>.makeStream()
        let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
            saved.continuation.yield()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        context.insert(Volume(title: "Notes"))
        for await _ in saved.stream { break }
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 1)
    }

    @Test func `enumerate goes through everything in batches and refuses unsaved changes`() throws {
        let library = try Stacks()
        for number in 0..<25 { library.context.insert(Volume(title: "\(number)")) }
        #expect(throws: SwiftDataError.self) { try library.context.enumerate(FetchDescriptor<Volume>()) { _ in } }
        try library.context.save()
        var titles: [String] = []
        try library.other.enumerate(FetchDescriptor<Volume>(), batchSize: 4) { titles.append($0.title) }
        #expect(titles.count == 25)
        #expect(Set(titles).count == 25)
        let batched = try library.other.fetch(FetchDescriptor<Volume>(), batchSize: 4)
        #expect(batched.count == 25)
        #expect(Set(batched.map(\.title)) == Set(titles))
    }
}
