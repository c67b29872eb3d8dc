import SluiceData
import Testing

struct SavingTests {
    @Test func `a model with a unique value that a row has becomes that row`() throws {
        let library = try Library()
        library.context.insert(Author(name: "Ada"))
        try library.context.save()
        let again = Author(name: "Ada")
        let book = Book(title: "Notes", author: again)
        library.context.insert(again)
        library.context.insert(book)
        #expect(library.context.insertedModelsArray.count == 2)
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Author>()) == 1)
        #expect(try library.other.only(Book.self)?.author?.name == "Ada")
        #expect(again.persistentModelID == (try library.context.only(Author.self))?.persistentModelID)
    }

    @Test func `unique over two properties merges only where both are equal`() throws {
        let library = try Library()
        for (name, language) in [("essays", "en"), ("essays", "de"), ("essays", "en"), ("maths", "en")] {
            library.context.insert(Genre(name: name, language: language))
        }
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Genre>()) == 3)
    }

    @Test func `two rows may swap their unique values in one save`() throws {
        let library = try Library()
        let (ada, alan) = (Author(name: "Ada"), Author(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        try library.context.save()
        (ada.name, alan.name) = (alan.name, ada.name)
        try library.context.save()
        let names = try library.other.all(Author.self).sorted { $0.persistentModelID < $1.persistentModelID }.map(\.name)
        #expect(names == ["Alan", "Ada"])
    }

    @Test func `a unique value can be given to a new model in the save that deletes its owner`() throws {
        let library = try Library()
        let first = Author(name: "Ada")
        library.context.insert(first)
        try library.context.save()
        library.context.delete(first)
        let second = Author(name: "Ada")
        library.context.insert(second)
        try library.context.save()
        let authors = try library.other.all(Author.self)
        #expect(authors.count == 1)
        #expect(authors.first?.persistentModelID == second.persistentModelID)
        #expect(first.persistentModelID != second.persistentModelID)
    }

    @Test func `a changed value that another row has is refused, and everything stays pending`() throws {
        let library = try Library()
        let (ada, alan) = (Author(name: "Ada"), Author(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        try library.context.save()
        alan.name = "Ada"
        #expect(throws: (any Error).self) { try library.context.save() }
        #expect(library.context.hasChanges)
        alan.name = "Grace"
        try library.context.save()
        #expect(try library.other.all(Author.self).map(\.name).sorted() == ["Ada", "Grace"])
    }

    @Test func `identifiers become those of rows when a model is saved`() throws {
        let library = try Library()
        let author = Author(name: "Ada")
        let before = author.persistentModelID
        library.context.insert(author)
        #expect(author.persistentModelID == before)
        #expect(before.storeIdentifier == nil)
        let registered: Author? = library.context.registeredModel(for: before)
        #expect(registered === author)
        try library.context.save()
        #expect(author.persistentModelID != before)
        #expect(author.persistentModelID.storeIdentifier == library.container.storeIdentifier(forConfigurationNamed: "default"))
        #expect(library.context.model(for: author.persistentModelID) === author)
    }

    @Test func `a context has one instance for each row`() throws {
        let library = try Library()
        library.context.insert(Book(title: "Notes", author: Author(name: "Ada")))
        try library.context.save()
        let context = library.other
        let book = try #require(try context.only(Book.self))
        #expect(try context.only(Book.self) === book)
        #expect(book.author?.books.first === book)
        #expect(context.model(for: book.persistentModelID) === book)
        #expect(try library.context.only(Book.self) !== book)
    }

    @Test func `another context's save shows up on the next fetch, and unsaved edits stay`() throws {
        let library = try Library()
        library.context.insert(Book(title: "Notes", pages: 1))
        try library.context.save()
        let here = try #require(try library.context.only(Book.self))
        let context = library.other
        let there = try #require(try context.only(Book.self))
        there.title = "Other notes"
        there.pages = 2
        try context.save()
        here.pages = 3
        #expect(try library.context.only(Book.self) === here)
        #expect(here.title == "Other notes")
        #expect(here.pages == 3)
        try library.context.save()
        #expect(try library.other.only(Book.self)?.pages == 3)
        #expect(try library.other.only(Book.self)?.title == "Other notes")
    }

    @Test func `rollback forgets insertions, edits and deletions`() throws {
        let library = try Library()
        let kept = Book(title: "kept")
        let doomed = Book(title: "doomed")
        library.context.insert(kept)
        library.context.insert(doomed)
        try library.context.save()
        kept.title = "edited"
        library.context.delete(doomed)
        let extra = Book(title: "extra")
        library.context.insert(extra)
        #expect(library.context.hasChanges)
        library.context.rollback()
        #expect(!library.context.hasChanges)
        #expect(kept.title == "kept")
        #expect(!doomed.isDeleted)
        #expect(extra.modelContext == nil)
        #expect(extra.title == "extra")
        #expect(try library.context.all(Book.self).map(\.title).sorted() == ["doomed", "kept"])
    }

    @Test func `a transaction saves once at its end, or not at all`() throws {
        let library = try Library()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try library.context.transaction {
                library.context.insert(Book(title: "never"))
                throw Stop()
            }
        }
        #expect(try library.other.fetchCount(FetchDescriptor<Book>()) == 0)
        try library.context.transaction {
            library.context.insert(Book(title: "one"))
            try library.context.save()
            #expect(try library.other.fetchCount(FetchDescriptor<Book>()) == 0)
            library.context.insert(Book(title: "two"))
        }
        #expect(try library.other.fetchCount(FetchDescriptor<Book>()) == 2)
    }

    @Test func `unsaved edits count in fetches unless the descriptor says otherwise`() throws {
        let library = try Library()
        let saved = Book(title: "saved")
        library.context.insert(saved)
        try library.context.save()
        library.context.insert(Book(title: "new"))
        var descriptor = FetchDescriptor<Book>()
        #expect(try library.context.fetchCount(descriptor) == 2)
        library.context.delete(saved)
        #expect(try library.context.fetch(descriptor).map(\.title) == ["new"])
        descriptor.includePendingChanges = false
        #expect(try library.context.fetch(descriptor).map(\.title) == ["saved"])
    }

    @Test func `a model of another context is related as this context's own instance`() throws {
        let library = try Library()
        library.context.insert(Author(name: "Ada"))
        try library.context.save()
        let context = library.other
        let foreign = try #require(try context.only(Author.self))
        let book = Book(title: "Notes")
        library.context.insert(book)
        book.author = foreign
        #expect(book.author !== foreign)
        #expect(book.author?.name == "Ada")
        try library.context.save()
        let unsaved = Author(name: "Nobody")
        context.insert(unsaved)
        book.author = unsaved
        #expect(throws: SwiftDataError.self) { try library.context.save() }
    }

    @Test func `saving posts what happened`() async throws {
        let library = try Library()
        let author = Author(name: "Ada")
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
        let library = try Library()
        let context = library.container.mainContext
        #expect(context.autosaveEnabled)
        #expect(!library.context.autosaveEnabled)
        let saved = AsyncStream<Void>.makeStream()
        let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
            saved.continuation.yield()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        context.insert(Book(title: "Notes"))
        for await _ in saved.stream { break }
        #expect(try library.other.fetchCount(FetchDescriptor<Book>()) == 1)
    }

    @Test func `enumerate goes through everything in batches and refuses unsaved changes`() throws {
        let library = try Library()
        for number in 0..<25 { library.context.insert(Book(title: "\(number)")) }
        #expect(throws: SwiftDataError.self) { try library.context.enumerate(FetchDescriptor<Book>()) { _ in } }
        try library.context.save()
        var titles: [String] = []
        try library.other.enumerate(FetchDescriptor<Book>(), batchSize: 4) { titles.append($0.title) }
        #expect(titles.count == 25)
        #expect(Set(titles).count == 25)
        let batched = try library.other.fetch(FetchDescriptor<Book>(), batchSize: 4)
        #expect(batched.count == 25)
        #expect(Set(batched.map(\.title)) == Set(titles))
    }
}
