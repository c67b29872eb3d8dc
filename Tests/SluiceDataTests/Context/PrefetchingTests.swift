import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

/// Partners that a fetch reads along.
struct PrefetchingTests {
    private let library: Stacks

    init() throws { library = try Stacks() }

    private func fill(_ count: Int, chapters: Int = 1) throws {
        for number in 0..<count {
            let book = Volume(title: "\(number)", author: Writer(name: "\(number)"))
            library.context.insert(book)
            book.chapters = (0..<chapters).map { Passage(title: "\(number) \($0)") }
        }
        try library.context.save()
    }

    /// How many statements the store in memory, which has one connection, runs for it.
    private func statements(_ body: () throws -> Void) throws -> Int {
        func count() throws -> Int { try library.container.bindings.stores[0].write { $0.connection.statementCount } }
        let before = try count()
        try body()
        return try count() - before
    }

    private func books(in context: ModelContext, prefetching keyPaths: PartialKeyPath<Volume>...) throws -> [Volume] {
        var descriptor = FetchDescriptor<Volume>()
        descriptor.relationshipKeyPathsForPrefetching = keyPaths
        return try context.fetch(descriptor)
    }

    @Test func `thousands of prefetched partners are there when they are used`() throws {
        try fill(3_000)
        let context = library.other
        let books = try books(in: context, prefetching: \.author, \.chapters)
        let count = try statements {
            for book in books { #expect(book.author?.name == book.title && book.chapters.first?.title == "\(book.title) 0") }
        }
        #expect(count == 0)
    }

    @Test func `prefetching takes a statement for 500 partners`() throws {
        try fill(1_200)
        let context = library.other
        #expect(try statements { _ = try books(in: context, prefetching: \.author) } == 1 + 3)
    }

    @Test func `members of an ordered relationship are read along in their order`() throws {
        try fill(3, chapters: 4)
        try library.context.all(Volume.self).forEach { $0.chapters.reverse() }
        try library.context.save()
        let context = library.other
        let books = try books(in: context, prefetching: \.chapters)
        let count = try statements {
            for book in books { #expect(book.chapters.map(\.title) == (0..<4).reversed().map { "\(book.title) \($0)" }) }
        }
        #expect(count == 0)
    }

    @Test func `fetching again keeps partners that are there already`() throws {
        try fill(2_000)
        let context = library.other
        var books = try books(in: context, prefetching: \.author)
        books = try self.books(in: context, prefetching: \.author)
        #expect(try statements { for book in books { _ = book.author?.name } } == 0)
    }

    @Test func `partners go with the models that they were read for`() throws {
        try fill(3)
        let context = library.other
        weak var author: Writer?
        do {
            let books = try books(in: context, prefetching: \.author)
            author = books[0].author
            #expect(author != nil)
        }
        #expect(author == nil)
    }

    @Test func `models that were read for each other go all the same`() throws {
        try fill(3)
        let context = library.other
        weak var (book, author): (Volume?, Writer?)
        do {
            let books = try books(in: context, prefetching: \.author)
            var descriptor = FetchDescriptor<Writer>()
            descriptor.relationshipKeyPathsForPrefetching = [\.books]
            let authors = try context.fetch(descriptor)
            let again = try self.books(in: context, prefetching: \.author)
            (book, author) = (again[0], authors[0])
            withExtendedLifetime((books, authors, again)) {}
        }
        #expect(book == nil && author == nil)
    }
}
