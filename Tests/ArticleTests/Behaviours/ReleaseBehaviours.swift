import SwiftData
import Testing

/// Behaviours 61 to 63 and 65: stores as released programs left them, brought to the newest version.
@Suite struct ReleaseBehaviours {
    private static let books = [
        BookValues(
            isbn: "1", title: "Élan", pages: 300, price: Decimal(string: "19.95") ?? 0, rating: 4.5, isRead: true,
            added: Date(timeIntervalSince1970: 1_700_000_000.125), link: URL(string: "https://example.com/1?a=b"),
            cover: Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }), tags: ["a", "", "ü"], binding: .hard,
            format: Format(width: 12, height: -1)),
        BookValues(isbn: "2", title: "", rating: -0.0, cover: Data([1, 2, 3])),
        BookValues(isbn: "3", title: "Zero", pages: Int.max, price: Decimal(string: "-0.001") ?? 0, rating: .infinity),
    ]
    private static let shelves = ["low": ["1"], "top": ["1", "3"]]

    /// What a release's program left: two authors, three books, and shelves where there are any.
    private func leave<Author: PersistentModel, Book: PersistentModel>(
        _ version: any VersionedSchema.Type, in configuration: ModelConfiguration, author: (String) -> Author, book: (BookValues) -> Book,
        relate: (ModelContext, [Author], [Book]) -> Void
    ) throws {
        let container = try ModelContainer(for: Schema(versionedSchema: version), configurations: configuration)
        let context = ModelContext(container)
        let authors = ["Ada", "Alan"].map(author)
        let books = Self.books.map(book)
        authors.forEach(context.insert)
        books.forEach(context.insert)
        relate(context, authors, books)
        try context.save()
    }

    private func leave(_ release: Int, in configuration: ModelConfiguration) throws {
        switch release {
        case 1:
            try leave(
                CatalogueV1.self, in: configuration, author: CatalogueV1.Author.init(name:), book: CatalogueV1.Book.init
            ) { _, authors, books in
                (authors[0].books, books[2].author) = ([books[0], books[1]], authors[1])
            }
        case 2:
            try leave(
                CatalogueV2.self, in: configuration, author: CatalogueV2.Author.init(name:), book: CatalogueV2.Book.init
            ) { context, authors, books in
                (authors[0].books, books[2].author) = ([books[0], books[1]], authors[1])
                for (label, members) in Self.shelves {
                    let shelf = CatalogueV2.Shelf(label: label)
                    context.insert(shelf)
                    shelf.books = books.filter { members.contains($0.isbn) }
                }
            }
        default:
            try leave(
                CatalogueV3.self, in: configuration, author: CatalogueV3.Author.init(name:), book: CatalogueV3.Book.init
            ) { context, authors, books in
                (authors[0].books, books[2].author) = ([books[0], books[1]], authors[1])
                for (label, members) in Self.shelves {
                    let shelf = CatalogueV3.Shelf(label: label)
                    context.insert(shelf)
                    shelf.books = books.filter { members.contains($0.isbn) }
                }
            }
        }
    }

    private func upgrade(_ configuration: ModelConfiguration) throws -> ModelContainer {
        try ModelContainer(for: Schema(versionedSchema: CatalogueV3.self), migrationPlan: CataloguePlan.self, configurations: configuration)
    }

    /// Counts, values and relationships of the newest version.
    private func check(_ context: ModelContext, release: Int) throws {
        let books = try context.fetch(FetchDescriptor<CatalogueV3.Book>(sortBy: [SortDescriptor(\.isbn)]))
        #expect(books.map(\.values) == Self.books)
        #expect(books.map(\.sortName) == ["élan", "", "zero"] && books.allSatisfy { $0.series == "none" })
        #expect(books.map { $0.author?.name } == ["Ada", "Ada", "Alan"])
        let authors = try context.fetch(FetchDescriptor<CatalogueV3.Author>(sortBy: [SortDescriptor(\.name)]))
        #expect(authors.map { Set($0.books.map(\.isbn)) } == [["1", "2"], ["3"]])
        let shelves = try context.fetch(FetchDescriptor<CatalogueV3.Shelf>())
        let members = Dictionary(uniqueKeysWithValues: shelves.map { ($0.label, $0.books.map(\.isbn).sorted()) })
        #expect(members == (release == 1 ? [:] : Self.shelves))
    }

    /// Whether constraints and delete rules of the newest version hold.
    private func checkRules(_ context: ModelContext) throws {
        context.insert(CatalogueV3.Book(BookValues(isbn: "3", title: "Three", pages: 3)))
        context.insert(CatalogueV3.Book(BookValues(isbn: "4", title: "Élan", pages: 300)))
        context.insert(CatalogueV3.Author(name: "Alan"))
        try context.save()
        #expect(try context.count(CatalogueV3.Book.self) == 3 && context.count(CatalogueV3.Author.self) == 2)
        let fresh = ModelContext(context.container)
        #expect(Set(try fresh.all(CatalogueV3.Book.self).map { "\($0.isbn) \($0.name)" }) == ["4 Élan", "2 ", "3 Three"])
        let ada = try #require(try fresh.all(CatalogueV3.Author.self).first { $0.name == "Ada" })
        let mine = Set(ada.books.map(\.isbn))
        fresh.delete(ada)
        try fresh.save()
        #expect(try Set(fresh.all(CatalogueV3.Book.self).map(\.isbn)).isDisjoint(with: mine) && !mine.isEmpty)
    }

    @Test(arguments: 1...3)
    func `behaviours 63, 65: a store of each release keeps counts, values, relationships and constraints`(release: Int) throws {
        let folder = try StoreFolder()
        try leave(release, in: folder.configuration())
        for _ in 0..<2 { try check(ModelContext(upgrade(folder.configuration())), release: release) }
        try checkRules(ModelContext(upgrade(folder.configuration())))
    }

    @Test func `behaviour 61: a migration is tested on a file in a temporary folder, and stays in that folder`() throws {
        let folder = try StoreFolder()
        try leave(1, in: folder.configuration())
        let container = try upgrade(folder.configuration())
        try check(ModelContext(container), release: 1)
        #expect(container.configurations.map { $0.url.path } == [folder.file().path])
        let others = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { !$0.hasPrefix("Test.store") && !$0.hasPrefix(".Test_SUPPORT") }
        #expect(others.isEmpty)
    }

    @Test func `behaviour 62: a copy of a store that is in use is migrated like the store, which stays as it is`() throws {
        let folder = try StoreFolder()
        try leave(2, in: folder.configuration("Live"))
        let live = try ModelContainer(for: Schema(versionedSchema: CatalogueV2.self), configurations: folder.configuration("Live"))
        let context = ModelContext(live)
        context.insert(CatalogueV2.Book(BookValues(isbn: "9", title: "Late", pages: 1)))
        try context.save()
        // Its newest rows are in the log only.
        try folder.copy("Live", to: "Copy")
        let before = try folder.digests().filter { $0.contains("Live") }
        let copy = ModelContext(try upgrade(folder.configuration("Copy")))
        let books = try copy.fetch(FetchDescriptor<CatalogueV3.Book>(sortBy: [SortDescriptor(\.isbn)]))
        #expect(books.map(\.sortName) == ["élan", "", "zero", "late"] && books.prefix(3).map(\.values) == Self.books)
        #expect(try folder.digests().filter { $0.contains("Live") } == before)
        #expect(try ModelContext(live).count(CatalogueV2.Book.self) == 4)
    }
}
