import SluiceData
import Testing

/// Programs that make a context for each operation read a model in one and insert it into the next.
struct InsertingAcrossContextsTests {
    @Test func `a saved model that was edited elsewhere brings its edits`() throws {
        let library = try Stacks()
        let (ada, alan) = (Writer(name: "Ada"), Writer(name: "Alan"))
        library.context.insert(ada)
        library.context.insert(alan)
        library.context.insert(Volume(title: "Notes", pages: 3, author: ada))
        try library.context.save()
        // The context it was read in is gone by the time it is edited.
        let book = try #require(try library.other.only(Volume.self))
        book.title = "Sketch"
        book.author = try library.other.all(Writer.self).first { $0.name == "Alan" }
        let context = library.other
        context.insert(book)
        #expect(context.hasChanges && context.insertedModelsArray.isEmpty)
        try context.save()
        let stored = try library.other.all(Volume.self)
        #expect(stored.count == 1)
        #expect(stored.first?.title == "Sketch" && stored.first?.pages == 3 && stored.first?.author?.name == "Alan")
    }

    @Test func `a saved model without edits changes nothing`() throws {
        let library = try Stacks()
        library.context.insert(Volume(title: "Notes"))
        try library.context.save()
        let context = library.other
        context.insert(try #require(try library.other.only(Volume.self)))
        #expect(!context.hasChanges)
        try context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 1)
    }

    @Test func `a row that is gone stays gone`() throws {
        let library = try Stacks()
        library.context.insert(Volume(title: "Notes"))
        try library.context.save()
        let book = try #require(try library.other.only(Volume.self))
        book.title = "Sketch"
        try library.context.delete(model: Volume.self)
        let context = library.other
        context.insert(book)
        try context.save()
        #expect(try library.other.fetchCount(FetchDescriptor<Volume>()) == 0)
    }

    @Test func `a saved model of another container is refused by the next save`() throws {
        let (library, elsewhere) = (try Stacks(), try Stacks())
        let book = Volume(title: "Notes")
        library.context.insert(book)
        try library.context.save()
        elsewhere.context.insert(book)
        let error = #expect(throws: SwiftDataError.self) { try elsewhere.context.save() }
        #expect(error?.localizedDescription.contains("another container") == true)
    }
}
