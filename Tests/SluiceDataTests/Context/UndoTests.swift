import SluiceData
import Testing

/// Edits of models, taken back and made again by an undo manager.
struct UndoTests {
    private let library: Stacks
    private let context: ModelContext
    private let manager = UndoManager()

    init() throws {
        library = try Stacks()
        context = library.context
        context.undoManager = manager
    }

    /// Ada with books "one" and "two" of two chapters each, and Alan; saved, and nothing to undo.
    private func filled() throws -> (ada: Writer, alan: Writer) {
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        for title in ["one", "two"] {
            let book = Volume(title: title, pages: title.count, author: ada)
            book.chapters = ["a", "b", "c"].map { Passage(title: "\(title) \($0)") }
            context.insert(book)
        }
        context.insert(alan)
        ada.genres = [Subject(name: "essays"), Subject(name: "maths")]
        try context.save()
        manager.removeAllActions()
        return (ada, alan)
    }

    private func book(_ title: String) throws -> Volume {
        try #require(try context.all(Volume.self).first { $0.title == title })
    }

    private func stored(_ title: String) throws -> Volume? { try library.other.all(Volume.self).first { $0.title == title } }

    // MARK: Values, models

    @Test func `a change is taken back and made again`() throws {
        let (ada, _) = try filled()
        ada.name = "Augusta"
        ada.name = "Countess"
        manager.undo()
        #expect(ada.name == "Ada")
        manager.redo()
        #expect(ada.name == "Countess")
        try context.save()
        #expect(try library.other.all(Writer.self).map(\.name).sorted() == ["Alan", "Countess"])
    }

    @Test func `an insertion is taken back with the graph it brought, and made again`() throws {
        let book = Volume(title: "Notes", author: Writer(name: "Ada"))
        book.chapters = [Passage(title: "first"), Passage(title: "second")]
        context.insert(book)
        manager.undo()
        #expect(!context.hasChanges && book.modelContext == nil)
        manager.redo()
        #expect(context.insertedModelsArray.count == 4 && book.author?.name == "Ada")
        try context.save()
        #expect(try stored("Notes")?.chapters.map(\.title) == ["first", "second"])
        #expect(try stored("Notes")?.author?.name == "Ada")
    }

    @Test func `a saved insertion is taken back by a deletion, and comes again after another save`() throws {
        let book = Volume(title: "Notes", pages: 7)
        context.insert(book)
        try context.save()
        manager.undo()
        #expect(book.isDeleted)
        try context.save()
        #expect(try stored("Notes") == nil)
        manager.redo()
        try context.save()
        #expect(try stored("Notes")?.pages == 7)
        #expect(book.modelContext === context)
    }

    @Test func `a deletion that was not saved is taken back and made again`() throws {
        _ = try filled()
        let book = try book("one")
        context.delete(book)
        manager.undo()
        #expect(!book.isDeleted && !context.hasChanges && book.chapters.count == 3)
        manager.redo()
        #expect(book.isDeleted)
        try context.save()
        #expect(try stored("one") == nil)
    }

    @Test func `a model that was never saved comes back with its partners`() throws {
        let (ada, _) = try filled()
        let book = Volume(title: "draft", author: ada)
        book.chapters = ["x", "y"].map(Passage.init)
        context.insert(book)
        context.processPendingChanges()
        context.delete(book)
        #expect(ada.books.count == 2)
        manager.undo()
        #expect(ada.books.count == 3 && book.author === ada && book.chapters.map(\.title) == ["x", "y"])
        manager.redo()
        #expect(ada.books.count == 2 && book.modelContext == nil)
    }
}

// MARK: - Relationships

extension UndoTests {
    @Test func `a to-one goes back to its former partner, and both ends say so`() throws {
        let (ada, alan) = try filled()
        let book = try book("one")
        book.author = alan
        manager.undo()
        #expect(book.author === ada && alan.books.isEmpty && ada.books.count == 2)
        manager.redo()
        #expect(book.author === alan && alan.books.count == 1 && ada.books.count == 1)
        book.author = nil
        manager.undo()
        try context.save()
        #expect(try stored("one")?.author?.name == "Alan")
    }

    @Test func `a member that a to-many took from another owner goes back to it`() throws {
        let (ada, alan) = try filled()
        let book = try book("one")
        alan.books.append(book)
        manager.undo()
        #expect(book.author === ada && alan.books.isEmpty)
        #expect(Set(ada.books.map(\.title)) == ["one", "two"])
        manager.redo()
        #expect(book.author === alan && ada.books.map(\.title) == ["two"])
    }

    @Test func `a partner that a one-to-one took from another owner goes back to it`() throws {
        let (ada, alan) = try filled()
        ada.contract = Agreement(number: 1)
        try context.save()
        alan.contract = ada.contract
        #expect(ada.contract == nil)
        manager.undo()
        #expect(ada.contract?.number == 1 && ada.contract?.author === ada && alan.contract == nil)
    }

    @Test func `members of many-to-many come back at both ends`() throws {
        let (ada, alan) = try filled()
        let essays = try #require(ada.genres.first { $0.name == "essays" })
        essays.authors = [alan]
        #expect(ada.genres.map(\.name) == ["maths"])
        manager.undo()
        #expect(Set(ada.genres.map(\.name)) == ["essays", "maths"] && alan.genres.isEmpty && essays.authors.count == 1)
        manager.redo()
        #expect(essays.authors.map(\.name) == ["Alan"])
    }

    @Test func `an order comes back, whichever end was edited`() throws {
        _ = try filled()
        let (one, two) = (try book("one"), try book("two"))
        one.chapters.reverse()
        manager.undo()
        #expect(one.chapters.map(\.title) == ["one a", "one b", "one c"])
        let middle = one.chapters[1]
        middle.book = nil
        manager.undo()
        #expect(one.chapters.map(\.title) == ["one a", "one b", "one c"])
        two.chapters.insert(middle, at: 0)
        manager.undo()
        #expect(one.chapters.map(\.title) == ["one a", "one b", "one c"] && two.chapters.count == 3 && middle.book === one)
        manager.redo()
        #expect(two.chapters.map(\.title) == ["one b", "two a", "two b", "two c"])
        try context.save()
        #expect(try stored("one")?.chapters.map(\.title) == ["one a", "one c"])
    }

    @Test func `an order that nobody has loaded comes back too`() throws {
        _ = try filled()
        let context = library.other
        context.undoManager = manager
        let middle = try #require(try context.all(Passage.self).first { $0.title == "one b" })
        middle.book = nil
        manager.undo()
        try context.save()
        #expect(try stored("one")?.chapters.map(\.title) == ["one a", "one b", "one c"])
    }
}

// MARK: - Saved deletions

extension UndoTests {
    @Test func `a saved deletion brings back the row and all that cascades took along`() throws {
        let (ada, _) = try filled()
        context.delete(ada)
        try context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Passage>()) == 0)
        manager.undo()
        #expect(ada.modelContext === context && ada.books.count == 2)
        try context.save()
        let back = try #require(try library.other.all(Writer.self).first { $0.name == "Ada" })
        #expect(Set(back.genres.map(\.name)) == ["essays", "maths"])
        #expect(Set(back.books.map(\.title)) == ["one", "two"])
        #expect(try stored("two")?.chapters.map(\.title) == ["two a", "two b", "two c"])
        #expect(try stored("two")?.pages == 3)
        manager.redo()
        try context.save()
        #expect(try library.other.all(Writer.self).map(\.name) == ["Alan"])
        #expect(try library.other.fetchCount(FetchDescriptor<Passage>()) == 0)
        manager.undo()
        try context.save()
        #expect(try stored("one")?.author?.name == "Ada")
        #expect(try library.other.fetchCount(FetchDescriptor<Passage>()) == 6)
    }

    @Test func `a cascade that nobody has loaded comes back too`() throws {
        _ = try filled()
        let context = library.other
        context.undoManager = manager
        context.delete(try #require(try context.all(Writer.self).first { $0.name == "Ada" }))
        try context.save()
        manager.undo()
        try context.save()
        #expect(try stored("one")?.chapters.map(\.title) == ["one a", "one b", "one c"])
    }

    @Test func `a member of an ordered relationship comes back to its place`() throws {
        _ = try filled()
        let one = try book("one")
        context.delete(one.chapters[1])
        try context.save()
        #expect(one.chapters.map(\.title) == ["one a", "one c"])
        manager.undo()
        #expect(one.chapters.map(\.title) == ["one a", "one b", "one c"])
        try context.save()
        #expect(try stored("one")?.chapters.map(\.title) == ["one a", "one b", "one c"])
    }

    @Test func `a large value that was never read comes back with its row`() throws {
        let studio = try Studio()
        studio.context.insert(Portrait(title: "Ada", image: Studio.bytes(300_000)))
        try studio.context.save()
        let context = studio.other
        context.undoManager = manager
        context.delete(try #require(try context.only(Portrait.self)))
        try context.save()
        manager.undo()
        try context.save()
        #expect(try studio.other.only(Portrait.self)?.image == Studio.bytes(300_000))
    }

    @Test func `edits before a deletion in the same group come back with it`() throws {
        let (ada, _) = try filled()
        ada.name = "Augusta"
        ada.books = []
        context.delete(ada)
        manager.undo()
        try context.save()
        #expect(ada.name == "Ada" && ada.books.count == 2)
        #expect(try stored("one")?.author?.name == "Ada")
    }
}

// MARK: - Groups

extension UndoTests {
    @Test func `a save ends a group, and so does processing what is pending`() throws {
        let (ada, _) = try filled()
        ada.name = "first"
        try context.save()
        ada.name = "second"
        context.processPendingChanges()
        ada.name = "third"
        manager.undo()
        #expect(ada.name == "second")
        manager.undo()
        #expect(ada.name == "first")
        manager.undo()
        #expect(ada.name == "Ada" && !manager.canUndo)
        try context.save()
        #expect(try library.other.all(Writer.self).contains { $0.name == "Ada" })
    }

    @Test func `a save without anything to write ends a group too`() throws {
        let (ada, _) = try filled()
        let passing = Volume(title: "passing")
        context.insert(passing)
        context.delete(passing)
        try context.save()
        ada.name = "Augusta"
        manager.undo()
        #expect(ada.name == "Ada" && passing.modelContext == nil)
    }

    @Test func `an explicit group takes in what is saved within it`() throws {
        let (ada, alan) = try filled()
        manager.beginUndoGrouping()
        ada.name = "first"
        try context.save()
        alan.name = "second"
        context.insert(Volume(title: "third"))
        manager.endUndoGrouping()
        manager.undo()
        #expect(ada.name == "Ada" && alan.name == "Alan" && context.insertedModelsArray.isEmpty)
        manager.redo()
        #expect(ada.name == "first" && alan.name == "second" && context.insertedModelsArray.count == 1)
    }

    @Test func `rollback leaves nothing to undo or redo`() throws {
        let (ada, _) = try filled()
        ada.name = "first"
        try context.save()
        ada.name = "second"
        manager.undo()
        ada.name = "third"
        context.rollback()
        #expect(!manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(ada.name == "first")
    }

    @Test func `without a manager nothing is recorded`() throws {
        let (ada, _) = try filled()
        context.undoManager = nil
        ada.name = "Augusta"
        context.insert(Volume(title: "more"))
        #expect(!manager.canUndo)
        context.undoManager = manager
        manager.disableUndoRegistration()
        ada.name = "Countess"
        context.delete(ada)
        #expect(!manager.canUndo)
    }

    @Test func `a context that goes takes what it recorded along`() throws {
        weak var gone: UndoManager?
        weak var book: Volume?
        do {
            let context = library.other
            let manager = UndoManager()
            context.undoManager = manager
            let draft = Volume(title: "draft")
            context.insert(draft)
            draft.title = "again"
            (gone, book) = (manager, draft)
        }
        #expect(gone == nil && book == nil)
    }
}
