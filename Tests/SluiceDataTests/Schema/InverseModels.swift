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
