import SwiftData
import Testing

/// Behaviours 17 to 22. All of them on a disk store and in memory: 22 says that there is no difference.
@Suite struct RelationshipBehaviours {
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case disk, memory
        var testDescription: String { rawValue }
    }

    /// A binder with two sheets and a sticker, saved. The folder must live as long as its store.
    private struct Filled {
        let folder = try? StoreFolder()
        let container: ModelContainer
        let context: ModelContext
        let binder = Binder(label: "recipes")

        init(_ place: Place) throws {
            let folder = try #require(folder)
            container = try ModelContainer(
                for: Binder.self,
                configurations: place == .disk ? folder.configuration() : ModelConfiguration(isStoredInMemoryOnly: true))
            context = ModelContext(container)
            context.insert(binder)
            binder.sheets = [Sheet(text: "soup"), Sheet(text: "bread")]
            binder.stickers = [Sticker(color: "red")]
            try context.save()
        }

        /// Sees what is stored.
        var other: ModelContext { ModelContext(container) }
    }

    @Test(arguments: Place.allCases)
    func `behaviour 17: cascade deletes the children with the parent`(place: Place) throws {
        let filled = try Filled(place)
        filled.context.delete(filled.binder)
        try filled.context.save()
        #expect(try filled.other.count(Binder.self) == 0)
        #expect(try filled.other.count(Sheet.self) == 0)
    }

    @Test(arguments: Place.allCases)
    func `behaviour 18: without a rule the children stay and lose their parent`(place: Place) throws {
        let filled = try Filled(place)
        let sticker = try #require(try filled.context.all(Sticker.self).first)
        #expect(sticker.binder === filled.binder)
        filled.context.delete(filled.binder)
        try filled.context.save()
        #expect(sticker.binder == nil)
        let stickers = try filled.other.all(Sticker.self)
        #expect(stickers.map(\.color) == ["red"] && stickers.first?.binder == nil)
    }

    @Test(arguments: Place.allCases)
    func `behaviour 19: an inverse keeps both sides in step`(place: Place) throws {
        let filled = try Filled(place)
        let (fromParent, fromChild) = (Sheet(text: "cake"), Sheet(text: "tart"))
        filled.binder.sheets.append(fromParent)
        #expect(fromParent.binder === filled.binder)
        fromChild.binder = filled.binder
        #expect(filled.binder.sheets.contains { $0 === fromChild })
        filled.binder.sheets.removeAll { $0.text == "soup" }
        try filled.context.save()
        let binder = try #require(try filled.other.all(Binder.self).first)
        #expect(Set(binder.sheets.map(\.text)) == ["bread", "cake", "tart"])
        let soup = try #require(try filled.other.all(Sheet.self).first { $0.text == "soup" })
        #expect(soup.binder == nil)
    }

    @Test(arguments: Place.allCases)
    func `behaviour 20: an inverse that can only be one is inferred`(place: Place) throws {
        let filled = try Filled(place)
        let schema = Schema([Binder.self])
        #expect(schema.entity(for: Binder.self)?.relationshipsByName["stickers"]?.inverseName == "binder")
        #expect(schema.entity(for: Sticker.self)?.relationshipsByName["binder"]?.inverseName == "stickers")
        let sticker = Sticker(color: "blue")
        sticker.binder = filled.binder
        #expect(filled.binder.stickers.contains { $0 === sticker })
        try filled.context.save()
        #expect(try filled.other.all(Binder.self).first?.stickers.count == 2)
    }

    @Test(arguments: Place.allCases)
    func `behaviour 21: inverse nil is a relationship one way`(place: Place) throws {
        let filled = try Filled(place)
        let index = Sheet(text: "index")
        filled.binder.appendix = index
        try filled.context.save()
        #expect(index.binder == nil)
        #expect(!filled.binder.sheets.contains { $0 === index })
        #expect(try filled.other.all(Binder.self).first?.appendix?.text == "index")
        filled.context.delete(index)
        try filled.context.save()
        let binder = try #require(try filled.other.all(Binder.self).first)
        #expect(binder.appendix == nil)
    }

    @Test func `behaviour 22: deleting does the same on disk as in memory`() throws {
        let left = try Place.allCases.map { place -> [String] in
            let filled = try Filled(place)
            filled.binder.appendix = Sheet(text: "index")
            try filled.context.save()
            filled.context.delete(filled.binder)
            try filled.context.save()
            let other = filled.other
            return try other.all(Sheet.self).map(\.text) + other.all(Sticker.self).map(\.color)
        }
        #expect(left == [["index", "red"], ["index", "red"]])
    }
}
