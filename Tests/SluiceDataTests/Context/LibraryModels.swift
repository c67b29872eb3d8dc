import SluiceData

/// A small library: every kind of relationship once.
@Model
final class Author {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    @Relationship(deleteRule: .nullify, inverse: \Genre.authors) var genres: [Genre] = []
    @Relationship(deleteRule: .deny, inverse: \Contract.author) var contract: Contract?

    init(name: String) { self.name = name }
}

@Model
final class Book {
    var title: String
    var pages: Int
    var author: Author?
    @Relationship(.ordered, deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []

    init(title: String, pages: Int = 0, author: Author? = nil) {
        self.title = title
        self.pages = pages
        self.author = author
    }
}

@Model
final class Chapter {
    var title: String
    var book: Book?
    init(title: String) { self.title = title }
}

@Model
final class Genre {
    #Unique<Genre>([\.name, \.language])
    var name: String
    var language: String
    var authors: [Author] = []

    init(name: String, language: String = "en") {
        self.name = name
        self.language = language
    }
}

@Model
final class Contract {
    var number: Int
    var author: Author?
    /// One-way: the shelf knows nothing of it.
    var shelf: Shelf?
    init(number: Int) { self.number = number }
}

@Model
final class Shelf {
    var label: String
    /// One-way to-many.
    @Relationship(inverse: nil) var contents: [Chapter] = []
    init(label: String) { self.label = label }
}

struct Library {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Author.self, Shelf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    /// A context that knows nothing of what the first one holds.
    var other: ModelContext { ModelContext(container) }
}

extension ModelContext {
    func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try fetch(FetchDescriptor<T>()) }
    func only<T: PersistentModel>(_ type: T.Type) throws -> T? { try all(type).first }
}
