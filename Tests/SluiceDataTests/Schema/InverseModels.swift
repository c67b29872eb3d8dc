import SluiceData

/// Pairs of classes whose relationships say more or less about their inverses.
enum Inverses {
    final class Author: ShapeModel {
        var books: [Book] { get { [] } set {} }
        var edited: [Book] { get { [] } set {} }
        var name: String { get { "" } set {} }
        var persistentBackingData: any BackingData<Author> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [.init(name: "books", keypath: \Author.books), .init(name: "edited", keypath: \Author.edited)]
        }
    }

    final class Book: ShapeModel {
        var author: Author? { get { nil } set {} }
        var persistentBackingData: any BackingData<Book> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata { [.init(name: "author", keypath: \Book.author)] }
    }

    final class Person: ShapeModel {
        var mother: Person? { get { nil } set {} }
        var father: Person? { get { nil } set {} }
        var friends: [Person] { get { [] } set {} }
        var persistentBackingData: any BackingData<Person> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [.init(name: "mother", keypath: \Person.mother), .init(name: "father", keypath: \Person.father)]
        }
    }

    final class Folder: ShapeModel {
        var parent: Folder? { get { nil } set {} }
        var children: [Folder]? { get { nil } set {} }
        var persistentBackingData: any BackingData<Folder> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [.init(name: "parent", keypath: \Folder.parent), .init(name: "children", keypath: \Folder.children)]
        }
    }

    /// One to one, and a type with a raw value that is a struct.
    final class Passport: ShapeModel {
        struct Country: RawRepresentable, Codable { var rawValue: String }
        var holder: Holder? { get { nil } set {} }
        var country: Country { get { Country(rawValue: "") } set {} }
        var number: String { get { "" } set {} }
        var persistentBackingData: any BackingData<Passport> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [
                .init(name: "holder", keypath: \Passport.holder), .init(name: "country", keypath: \Passport.country),
                .init(name: "number", keypath: \Passport.number),
                .init(
                    name: "SwiftData.Schema.Unique", keypath: \Schema.encodingVersion,
                    metadata: Schema.Unique<Passport>([\.holder, \.number], [\.country, \.number])),
            ]
        }
    }

    final class Holder: ShapeModel {
        var passport: Passport? { get { nil } set {} }
        var persistentBackingData: any BackingData<Holder> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata { [.init(name: "passport", keypath: \Holder.passport)] }
    }

    /// Says that nothing points back.
    final class Shelf: ShapeModel {
        var crates: [Crate] { get { [] } set {} }
        var persistentBackingData: any BackingData<Shelf> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata {
            [.init(name: "crates", keypath: \Shelf.crates, metadata: Schema.Relationship(.ordered, inverse: nil))]
        }
    }

    final class Crate: ShapeModel {
        var shelf: Shelf? { get { nil } set {} }
        var persistentBackingData: any BackingData<Crate> { get { preconditionFailure("unused") } set {} }
        init() {}
        static var schemaMetadata: Metadata { [.init(name: "shelf", keypath: \Crate.shelf)] }
    }
}
