import SluiceSchema
import SluiceSQLite
import SluiceStore
import SwiftData
import Testing

/// Behaviours 1 to 16: what a model class says, and what the store makes of it.
@Suite struct ModelAndSchemaBehaviours {
    private typealias ModelSchema = SwiftData.Schema

    private func shopping() throws -> ModelContext { ModelContext(try .inMemory(ShoppingItem.self)) }

    private func milk(_ id: UUID = UUID(), amount: String = "1") -> ShoppingItem {
        ShoppingItem(id: id, name: "milk", amount: amount, section: "dairy")
    }

    @Test func `behaviour 1: a class is all the description a model needs`() throws {
        let entity = try #require(ModelSchema([ShoppingItem.self]).entity(for: ShoppingItem.self))
        #expect(entity.name == "ShoppingItem")
        #expect(
            Set(entity.attributesByName.keys) == [
                "id", "name", "amount", "section", "isChecked", "isOptional", "sortOrder", "lastModified",
            ])
        let context = try shopping()
        context.insert(milk())
        try context.save()
        #expect(try context.count(ShoppingItem.self) == 1)
    }

    @Test func `behaviour 2: each stored property is a column of its Swift type`() throws {
        let folder = try StoreFolder()
        _ = try ModelContainer(for: ShoppingItem.self, configurations: folder.configuration())
        let schema = try #require(try Store.schema(at: folder.file().path))
        let attributes = try #require(schema.entity(named: "ShoppingItem")).attributes
        #expect(attributes.map(\.type) == [.uuid, .string, .string, .string, .boolean, .boolean, .int64, .date])
        #expect(attributes.map(\.isOptional) == [false, false, false, false, false, false, false, true])
        let connection = try Connection(path: folder.file().path, mode: .readOnly)
        let columns = try connection.rows("SELECT name FROM pragma_table_info('ShoppingItem')") { $0.text(0) }
        #expect(Set(columns).isSuperset(of: attributes.map(\.name)))
    }

    @Test func `behaviour 3: every row has an identifier by itself`() throws {
        let context = try shopping()
        let items = [milk(), milk()]
        items.forEach(context.insert)
        try context.save()
        let identifiers = try context.all(ShoppingItem.self).map(\.persistentModelID)
        #expect(Set(identifiers).count == 2)
        #expect(Set(identifiers) == Set(items.map(\.persistentModelID)))
        #expect(identifiers.allSatisfy { $0.entityName == "ShoppingItem" && $0.storeIdentifier != nil })
    }

    @Test func `behaviour 4: a unique attribute has at most one row per value`() throws {
        let context = try shopping()
        let id = UUID()
        for amount in ["1", "2", "3"] { context.insert(milk(id, amount: amount)) }
        context.insert(milk())
        try context.save()
        let rows = try ModelContext(context.container).all(ShoppingItem.self)
        #expect(rows.count == 2)
        #expect(rows.count { $0.id == id } == 1)
    }

    @Test func `behaviour 5: inserting a value that exists updates its row`() throws {
        let context = try shopping()
        let first = milk(amount: "1")
        context.insert(first)
        try context.save()
        let again = milk(first.id, amount: "2")
        again.isChecked = true
        context.insert(again)
        try context.save()
        let rows = try ModelContext(context.container).all(ShoppingItem.self)
        #expect(rows.map(\.amount) == ["2"] && rows.first?.isChecked == true)
        #expect(rows.first?.persistentModelID == first.persistentModelID)
    }

    @Test func `behaviour 6: one UUID that arrives by two paths is one row`() throws {
        let container = try ModelContainer.inMemory(ShoppingItem.self)
        let id = UUID()
        for (path, amount) in [(ModelContext(container), "1"), (ModelContext(container), "2")] {
            path.insert(milk(id, amount: amount))
            try path.save()
        }
        #expect(try ModelContext(container).all(ShoppingItem.self).map(\.amount) == ["2"])
    }

    @Test func `behaviour 7: a unique attribute is no validation; records of one value merge in silence`() throws {
        let context = ModelContext(try .inMemory(Headline.self))
        context.insert(Headline(title: "News", author: "Ada"))
        context.insert(Headline(title: "News", author: "Alan"))
        try context.save()
        #expect(try context.count(Headline.self) == 1)
        #expect(try ModelContext(context.container).all(Headline.self).map(\.author) == ["Alan"])
    }

    @Test func `behaviour 8: a model is a reference, and writing a property marks it changed`() throws {
        let context = try shopping()
        let item = milk()
        context.insert(item)
        try context.save()
        let same = item
        #expect(!item.hasChanges && !context.hasChanges)
        same.amount = "2"
        #expect(item.amount == "2")
        #expect(item.hasChanges && context.hasChanges)
        #expect(context.changedModelsArray.map(\.persistentModelID) == [item.persistentModelID])
    }

    @Test func `behaviour 9: a change is written by the next save of its context`() throws {
        let context = try shopping()
        let item = milk()
        context.insert(item)
        try context.save()
        item.amount = "2"
        #expect(try ModelContext(context.container).all(ShoppingItem.self).map(\.amount) == ["1"])
        try context.save()
        #expect(try ModelContext(context.container).all(ShoppingItem.self).map(\.amount) == ["2"])
    }

    @Test func `behaviour 11: a model is not Sendable, and the compiler says what to send instead`() throws {
        func source(_ sent: String) -> String {
            """
            import SwiftData
            @Model final class Note { var title: String; init(title: String) { self.title = title } }
            func send<Value: Sendable>(_ value: Value) {}
            func share(_ note: Note) { send(\(sent)) }
            """
        }
        let model = try Compiler.check(source("note"), languageMode: "6")
        #expect(!model.compiles)
        #expect(model.diagnostics.contains("'Note' to 'Sendable'") || model.diagnostics.contains("'Note' does not conform to the 'Sendable'"))
        #expect(model.diagnostics.contains("persistentModelID"), "\(model.diagnostics)")
        let identifier = try Compiler.check(source("note.persistentModelID"), languageMode: "6")
        #expect(identifier.compiles, "\(identifier.diagnostics)")
    }

    @Test func `behaviour 12: a constraint may join several key paths`() throws {
        let context = ModelContext(try .inMemory(CachedArticle.self))
        for (source, remote, title) in [("a", "1", "old"), ("a", "2", "other"), ("b", "1", "third"), ("a", "1", "new")] {
            context.insert(CachedArticle(sourceID: source, remoteID: remote, title: title))
        }
        try context.save()
        #expect(try Set(ModelContext(context.container).all(CachedArticle.self).map(\.title)) == ["new", "other", "third"])
    }

    @Test func `behaviour 13: an index serves predicates and sorts, and makes nothing unique`() throws {
        let folder = try StoreFolder()
        let context = ModelContext(try ModelContainer(for: CachedArticle.self, configurations: folder.configuration()))
        let moment = Date(timeIntervalSinceReferenceDate: 0)
        for number in 0..<3 {
            let article = CachedArticle(sourceID: "a", remoteID: "\(number)", title: "t")
            article.updatedAt = moment
            context.insert(article)
        }
        try context.save()
        #expect(try context.count(CachedArticle.self) == 3)
        let connection = try Connection(path: folder.file().path, mode: .readOnly)
        let plan = try connection.rows(
            "EXPLAIN QUERY PLAN SELECT _pk FROM CachedArticle WHERE updatedAt > ? ORDER BY updatedAt LIMIT 5", [.real(0)]
        ) { $0.text(3) }
        #expect(plan.count == 1 && plan.first?.contains("USING") == true && plan.first?.contains("updatedAt") == true, "\(plan)")
    }

    @Test func `behaviour 15: a transformer stores what is not codable`() throws {
        let context = ModelContext(try .inMemory(Swatch.self))
        context.insert(Swatch(tint: Tint(red: 1, green: 2, blue: 3)))
        try context.save()
        let swatch = try #require(try ModelContext(context.container).all(Swatch.self).first)
        #expect(swatch.tint == Tint(red: 1, green: 2, blue: 3))
    }

    @Test func `behaviour 16: a codable value is stored in its coded form, whatever its type`() throws {
        let context = ModelContext(try .inMemory(Track.self))
        context.insert(Track(title: "one"))
        let marked = Track(title: "two")
        marked.marks = Marks(places: [3, 1], note: "slow")
        context.insert(marked)
        try context.save()
        let tracks = try ModelContext(context.container).all(Track.self).sorted { $0.title < $1.title }
        #expect(tracks.map(\.marks) == [Marks(places: [], note: ""), Marks(places: [3, 1], note: "slow")])
        #expect(ModelSchema([Track.self]).entity(for: Track.self)?.attributesByName["marks"]?.isCodable == true)
    }
}
