import SluiceData

/// A small library: every kind of relationship once.
@Model
final class Writer {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Volume.author) var books: [Volume] = []
    @Relationship(deleteRule: .nullify, inverse: \Subject.authors) var genres: [Subject] = []
    @Relationship(deleteRule: .deny, inverse: \Agreement.author) var contract: Agreement?

    init(name: String) { self.name = name }
}

@Model
final class Volume {
    var title: String
    var pages: Int
    var author: Writer?
    @Relationship(.ordered, deleteRule: .cascade, inverse: \Passage.book) var chapters: [Passage] = []

    init(title: String, pages: Int = 0, author: Writer? = nil) {
        self.title = title
        self.pages = pages
        self.author = author
    }
}

@Model
final class Passage {
    var title: String
    var book: Volume?
    init(title: String) { self.title = title }
}

@Model
final class Subject {
    #Unique<Subject>([\.name, \.language])
    var name: String
    var language: String
    var authors: [Writer] = []

    init(name: String, language: String = "en") {
        self.name = name
        self.language = language
    }
}

@Model
final class Agreement {
    var number: Int
    var author: Writer?
    /// One-way: the shelf knows nothing of it.
    var shelf: Stack?
    init(number: Int) { self.number = number }
}

@Model
final class Stack {
    var label: String
    /// One-way to-many.
    @Relationship(inverse: nil) var contents: [Passage] = []
    init(label: String) { self.label = label }
}

struct Stacks {
    let container: ModelContainer
    let context: ModelContext

    init() throws {
        container = try ModelContainer(
            for: Writer.self, Stack.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    /// A context that knows nothing of what the first one holds.
    var other: ModelContext { ModelContext(container) }
}

extension ModelContext {
    func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try fetch(FetchDescriptor<T>()) }
    func only<T: PersistentModel>(_ type: T.Type) throws -> T? { try all(type).first }
}
