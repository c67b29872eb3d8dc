import SwiftData

// One program in three releases, with a property of every kind that a store keeps.

enum Binding: String, Codable { case hard, soft }

struct Format: Codable, Equatable {
    var width: Int
    var height: Int
}

/// What a book of any release holds.
struct BookValues: Equatable {
    var isbn: String
    var title: String
    var pages = 0
    var price = Decimal(0)
    var rating = 0.0
    var isRead = false
    var added = Date(timeIntervalSince1970: 0)
    var key = UUID()
    var link: URL?
    var cover: Data?
    var tags: [String] = []
    var binding = Binding.soft
    var format: Format?
}

enum CatalogueV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Author.self, Book.self] }

    @Model
    final class Author {
        @Attribute(.unique) var name: String
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
        init(name: String) { self.name = name }
    }

    @Model
    final class Book {
        #Unique<Book>([\.title, \.pages])
        @Attribute(.unique) var isbn: String
        var title: String
        var pages: Int
        var price: Decimal
        var rating: Double
        var isRead: Bool
        var added: Date
        var key: UUID
        var link: URL?
        @Attribute(.externalStorage) var cover: Data?
        var tags: [String]
        var binding: Binding
        var format: Format?
        var author: Author?

        init(_ values: BookValues) {
            (isbn, title, pages, price, rating) = (values.isbn, values.title, values.pages, values.price, values.rating)
            (isRead, added, key, link, cover) = (values.isRead, values.added, values.key, values.link, values.cover)
            (tags, binding, format) = (values.tags, values.binding, values.format)
        }
    }
}

/// A class and two properties more.
enum CatalogueV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Author.self, Book.self, Shelf.self] }

    @Model
    final class Author {
        @Attribute(.unique) var name: String
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
        init(name: String) { self.name = name }
    }

    @Model
    final class Shelf {
        var label: String
        @Relationship(inverse: \Book.shelves) var books: [Book] = []
        init(label: String) { self.label = label }
    }

    @Model
    final class Book {
        #Unique<Book>([\.title, \.pages])
        @Attribute(.unique) var isbn: String
        var title: String
        var pages: Int
        var price: Decimal
        var rating: Double
        var isRead: Bool
        var added: Date
        var key: UUID
        var link: URL?
        @Attribute(.externalStorage) var cover: Data?
        var tags: [String]
        var binding: Binding
        var format: Format?
        var author: Author?
        var series: String = "none"
        var shelves: [Shelf] = []

        init(_ values: BookValues) {
            (isbn, title, pages, price, rating) = (values.isbn, values.title, values.pages, values.price, values.rating)
            (isRead, added, key, link, cover) = (values.isRead, values.added, values.key, values.link, values.cover)
            (tags, binding, format) = (values.tags, values.binding, values.format)
        }
    }
}

/// A property renamed, and one that old rows need code for.
enum CatalogueV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Author.self, Book.self, Shelf.self] }

    @Model
    final class Author {
        @Attribute(.unique) var name: String
        @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
        init(name: String) { self.name = name }
    }

    @Model
    final class Shelf {
        var label: String
        @Relationship(inverse: \Book.shelves) var books: [Book] = []
        init(label: String) { self.label = label }
    }

    @Model
    final class Book {
        #Unique<Book>([\.name, \.pages])
        @Attribute(.unique) var isbn: String
        @Attribute(originalName: "title") var name: String
        var sortName: String
        var pages: Int
        var price: Decimal
        var rating: Double
        var isRead: Bool
        var added: Date
        var key: UUID
        var link: URL?
        @Attribute(.externalStorage) var cover: Data?
        var tags: [String]
        var binding: Binding
        var format: Format?
        var author: Author?
        var series: String = "none"
        var shelves: [Shelf] = []

        init(_ values: BookValues) {
            (isbn, name, pages, price, rating) = (values.isbn, values.title, values.pages, values.price, values.rating)
            (isRead, added, key, link, cover) = (values.isRead, values.added, values.key, values.link, values.cover)
            (tags, binding, format, sortName) = (values.tags, values.binding, values.format, values.title.lowercased())
        }

        var values: BookValues {
            BookValues(
                isbn: isbn, title: name, pages: pages, price: price, rating: rating, isRead: isRead, added: added, key: key, link: link,
                cover: cover, tags: tags, binding: binding, format: format)
        }
    }
}

enum CataloguePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [CatalogueV1.self, CatalogueV2.self, CatalogueV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: CatalogueV1.self, toVersion: CatalogueV2.self),
            .custom(fromVersion: CatalogueV2.self, toVersion: CatalogueV3.self, willMigrate: nil) { context in
                for book in try context.fetch(FetchDescriptor<CatalogueV3.Book>()) { book.sortName = book.name.lowercased() }
                try context.save()
            },
        ]
    }
}
