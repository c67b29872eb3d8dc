import SluiceData

// Many-to-many, raw-value enums, doc comments, compound indices and constraints.

/// What a reader takes home.
@Model
final class Book {
    #Unique<Book>([\.isbn], [\.title, \.edition])
    #Index<Book>([\.title], [\.publishedOn, \.shelf])

    enum Shelf: String, Codable, CaseIterable {
        case fiction, poetry, science
    }

    enum Condition: Int, Codable { case new = 1, worn, damaged }

    /// Thirteen digits, without hyphens.
    var isbn: String
    var title: String
    var edition = 1
    /// nil for a manuscript.
    var publishedOn: Date?
    var shelf: Shelf = Shelf.fiction
    var condition: Condition = .new
    var keywords: [String] = []

    @Relationship(inverse: \Author.books)
    var authors: [Author] = []

    @Relationship(deleteRule: .cascade, inverse: \Loan.book) var loans: [Loan] = []

    init(isbn: String, title: String, edition: Int = 1, shelf: Shelf = .fiction, publishedOn: Date? = nil) {
        self.isbn = isbn
        self.title = title
        self.edition = edition
        self.shelf = shelf
        self.publishedOn = publishedOn
    }

    /// On nobody's shelf.
    var isLent: Bool { loans.contains { $0.returnedOn == nil } }
}

@Model
final class Author {
    @Attribute(.unique) var name: String
    var born: Date?
    var books: [Book]

    init(name: String, born: Date? = nil, books: [Book] = []) {
        self.name = name
        self.born = born
        self.books = books
    }
}

@Model
final class Loan {
    var book: Book?
    var reader: String
    var takenOn: Date = Date.now
    var returnedOn: Date?

    init(book: Book, reader: String) {
        self.book = book
        self.reader = reader
    }
}

extension Book {
    var byline: String { authors.map(\.name).sorted().joined(separator: ", ") }

    convenience init(anonymous title: String) {
        self.init(isbn: "0", title: title, shelf: .poetry)
    }
}
