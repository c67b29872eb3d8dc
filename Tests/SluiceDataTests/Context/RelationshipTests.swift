import SluiceData
import Testing

struct RelationshipTests {
    @Test func `setting one end sets the other, saved or not`() throws {
        let library = try Stacks()
        let author = Writer(name: "Ada")
        let book = Volume(title: "Notes")
        library.context.insert(author)
        author.books.append(book)
        #expect(book.author === author)
        #expect(book.modelContext === library.context)
        try library.context.save()
        book.author = nil
        #expect(author.books.isEmpty)
        book.author = author
        #expect(author.books.map(\.title) == ["Notes"])
    }

    @Test func `a graph is inserted with its root`() throws {
        let library = try Stacks()
        let book = Volume(title: "Notes", author: Writer(name: "Ada"))
        book.chapters = [Passage(title: "one"), Passage(title: "two")]
        library.context.insert(book)
        try library.context.save()
        let found = try #require(try library.other.only(Volume.self))
        #expect(found.author?.name == "Ada")
        #expect(found.chapters.map(\.title) == ["one", "two"])
        #expect(found.author?.books.first === found)
    }

    @Test func `an ordered relationship keeps its order`() throws {
        let library = try Stacks()
        let book = Volume(title: "Notes")
        library.context.insert(book)
        book.chapters = (0..<20).map { Passage(title: "\($0)") }
        try library.context.save()
        book.chapters.swapAt(0, 19)
        book.chapters.append(Passage(title: "last"))
        book.chapters.remove(at: 5)
        let wanted = book.chapters.map(\.title)
        try library.context.save()
        #expect(try library.other.only(Volume.self)?.chapters.map(\.title) == wanted)
        #expect(wanted.first == "19" && wanted.last == "last" && !wanted.contains("5"))
    }

    @Test func `many-to-many is seen from both sides`() throws {
        let library = try Stacks()
        let ada = Writer(name: "Ada")
        let alan = Writer(name: "Alan")
        let essays = Subject(name: "essays")
        [ada, alan].forEach(library.context.insert)
        ada.genres = [essays, Subject(name: "maths")]
        essays.authors.append(alan)
        #expect(alan.genres.map(\.name) == ["essays"])
        try library.context.save()
        let context = library.other
        let found = try context.all(Subject.self).first { $0.name == "essays" }
        #expect(found?.authors.map(\.name).sorted() == ["Ada", "Alan"])
        found?.authors.removeAll { $0.name == "Ada" }
        try context.save()
        let again = try library.other.all(Writer.self)
        #expect(again.first { $0.name == "Ada" }?.genres.map(\.name) == ["maths"])
        #expect(again.first { $0.name == "Alan" }?.genres.map(\.name) == ["essays"])
    }

    @Test func `one-to-one has one partner on each side`() throws {
        let library = try Stacks()
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        let (first, second) = (Agreement(number: 1), Agreement(number: 2))
        for model in [ada, alan] { library.context.insert(model) }
        ada.contract = first
        alan.contract = second
        try library.context.save()
        ada.contract = second
        #expect(second.author === ada)
        #expect(alan.contract == nil)
        #expect(first.author == nil)
        try library.context.save()
        let authors = try library.other.all(Writer.self)
        #expect(authors.first { $0.name == "Ada" }?.contract?.number == 2)
        #expect(authors.first { $0.name == "Alan" }?.contract == nil)
    }

    @Test func `one-way relationships work in both cardinalities`() throws {
        let library = try Stacks()
        let shelf = Stack(label: "A")
        let contract = Agreement(number: 1)
        contract.shelf = shelf
        shelf.contents = [Passage(title: "loose"), Passage(title: "leaf")]
        library.context.insert(contract)
        try library.context.save()
        let context = library.other
        let found = try #require(try context.only(Stack.self))
        #expect(found.contents.map(\.title).sorted() == ["leaf", "loose"])
        #expect(try context.only(Agreement.self)?.shelf === found)
        found.contents.removeAll { $0.title == "leaf" }
        try context.save()
        #expect(try library.other.only(Stack.self)?.contents.map(\.title) == ["loose"])
        #expect(try library.other.fetchCount(FetchDescriptor<Passage>()) == 2)
    }

    @Test func `a child that moves to another parent leaves the first`() throws {
        let library = try Stacks()
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        let book = Volume(title: "Notes", author: ada)
        library.context.insert(book)
        try library.context.save()
        let context = library.other
        let authors = try context.all(Writer.self)
        let moved = try #require(try context.only(Volume.self))
        authors.first { $0.name == "Alan" }?.books.append(moved)
        #expect(authors.first { $0.name == "Ada" }?.books.isEmpty == true)
        try context.save()
        #expect(try library.other.only(Volume.self)?.author?.name == "Alan")
    }

    @Test func `a to-many that was not loaded has the unsaved members when it is`() throws {
        let library = try Stacks()
        library.context.insert(Volume(title: "saved", author: Writer(name: "Ada")))
        try library.context.save()
        let context = library.other
        let ada = try #require(try context.only(Writer.self))
        let fresh = Volume(title: "fresh")
        context.insert(fresh)
        fresh.author = ada
        #expect(ada.books.map(\.title).sorted() == ["fresh", "saved"])
        let saved = try #require(ada.books.first { $0.title == "saved" })
        saved.author = nil
        #expect(ada.books.map(\.title) == ["fresh"])
    }

    @Test func `ten thousand children are appended by their parent property in linear time and memory`() throws {
        let library = try Stacks()
        let author = Writer(name: "Ada")
        library.context.insert(author)
        for number in 0..<10_000 { library.context.insert(Volume(title: "\(number)", author: author)) }
        #expect(author.books.count == 10_000)
        try library.context.save()
        #expect(try library.other.only(Writer.self)?.books.count == 10_000)
    }
}
