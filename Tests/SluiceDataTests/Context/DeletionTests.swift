import SluiceData
import Testing

struct DeletionTests {
    private func filled() throws -> Stacks {
        let library = try Stacks()
        let author = Writer(name: "Ada")
        library.context.insert(author)
        for title in ["one", "two"] {
            let book = Volume(title: title, author: author)
            library.context.insert(book)
            book.chapters = [Passage(title: "\(title) a"), Passage(title: "\(title) b")]
        }
        author.genres = [Subject(name: "essays")]
        try library.context.save()
        return library
    }

    @Test func `cascade takes children and grandchildren along`() throws {
        let library = try filled()
        let author = try #require(try library.context.only(Writer.self))
        let book = try #require(author.books.first)
        library.context.delete(author)
        #expect(author.isDeleted)
        #expect(author.modelContext != nil)
        try library.context.save()
        #expect(!author.isDeleted)
        #expect(author.modelContext == nil)
        #expect(book.modelContext == nil)
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 0)
        #expect(try library.other.fetchCount(FetchDescriptor<Passage>()) == 0)
        #expect(try library.other.only(Subject.self)?.authors.isEmpty == true)
    }

    @Test func `nullify leaves the other end without a partner`() throws {
        let library = try filled()
        let book = try #require(try library.context.all(Volume.self).first { $0.title == "one" })
        let author = try #require(book.author)
        library.context.delete(book)
        try library.context.save()
        #expect(author.books.map(\.title) == ["two"])
        #expect(try library.other.fetchCount(FetchDescriptor<Writer>()) == 1)
    }

    @Test func `deny refuses the save, and nothing is deleted`() throws {
        let library = try filled()
        let author = try #require(try library.context.only(Writer.self))
        author.contract = Agreement(number: 7)
        try library.context.save()
        library.context.delete(author)
        #expect(throws: (any Error).self) { try library.context.save() }
        #expect(try library.other.fetchCount(FetchDescriptor<Writer>()) == 1)
        library.context.rollback()
        #expect(!author.isDeleted)
        author.contract = nil
        library.context.delete(author)
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Writer>()) == 0)
        #expect(try library.other.fetchCount(FetchDescriptor<Agreement>()) == 1)
    }

    @Test func `a deleted model keeps its last known values`() throws {
        let library = try filled()
        let book = try #require(try library.context.all(Volume.self).first { $0.title == "one" })
        library.context.delete(book)
        try library.context.save()
        #expect(book.title == "one")
        #expect(book.chapters.isEmpty)
        #expect(book.author == nil)
        book.title = "nobody sees this"
        try library.context.save()
    }

    @Test func `reading a model whose row another context deleted never traps`() throws {
        let library = try filled()
        let here = try #require(try library.context.all(Volume.self).first { $0.title == "one" })
        let other = library.other
        try other.all(Volume.self).forEach(other.delete)
        try other.save()
        #expect(here.title == "one")
        #expect(here.chapters.isEmpty)
        here.title = "edited"
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 0)
        let fresh = library.other.model(for: here.persistentModelID)
        #expect((fresh as? Volume)?.title == "")
    }

    @Test func `an unsaved model that is deleted just leaves`() throws {
        let library = try filled()
        let author = try #require(try library.context.only(Writer.self))
        let book = Volume(title: "three", author: author)
        library.context.insert(book)
        library.context.delete(book)
        #expect(!library.context.insertedModelsArray.contains { $0 === book })
        #expect(author.books.count == 2)
        try library.context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 2)
    }

    @Test func `a child that moved away survives its former parent's deletion in the same save`() throws {
        let library = try filled()
        let author = try #require(try library.context.only(Writer.self))
        let kept = try #require(author.books.first { $0.title == "one" })
        let heir = Writer(name: "Alan")
        library.context.insert(heir)
        kept.author = heir
        library.context.delete(author)
        try library.context.save()
        #expect(try library.other.all(Volume.self).map(\.title) == ["one"])
        #expect(try library.other.only(Volume.self)?.author?.name == "Alan")
    }

    @Test func `delete model where removes every row at once`() throws {
        let library = try filled()
        try library.context.delete(model: Writer.self)
        #expect(try library.context.fetchCount(FetchDescriptor<Writer>()) == 0)
        #expect(try library.context.fetchCount(FetchDescriptor<Volume>()) == 0)
        #expect(try library.other.fetchCount(FetchDescriptor<Subject>()) == 1)
    }
}
