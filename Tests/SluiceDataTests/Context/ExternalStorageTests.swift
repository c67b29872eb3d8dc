import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

/// Behaviour 14, and what must hold for it to be of use: loading late, and never another value.
struct ExternalStorageTests {
    private let studio: Studio
    private let large = Studio.bytes(300_000)
    private let second = Studio.bytes(250_000, 2)

    init() throws { studio = try Studio() }

    private func columns(_ name: String) throws -> [SQLiteValue] {
        let path = studio.folder.appending(path: "Studio.store").path
        return try Connection(path: path, mode: .readOnly).rows("SELECT \(name) FROM Portrait ORDER BY _pk") { $0.value(0) }
    }

    private func save(_ portraits: Portrait...) throws {
        for portrait in portraits { studio.context.insert(portrait) }
        try studio.context.save()
    }

    /// Takes the files away and puts them back.
    private func withoutFiles(_ body: () throws -> Void) throws {
        let aside = studio.folder.appending(path: "aside")
        try FileManager.default.moveItem(at: studio.support, to: aside)
        try body()
        try FileManager.default.moveItem(at: aside, to: studio.support)
    }

    @Test func `behaviour 14: large values of external storage lie outside the database file, small ones inside`() throws {
        let portrait = Portrait(title: "p", image: large)
        portrait.strokes = Strokes(points: Array(0..<50_000))
        portrait.scan = Data([1, 2])
        portrait.thumbnail = large
        try save(portrait, Portrait(title: "q", image: Data([3])), Portrait(title: "r"))
        let files = try studio.files()
        #expect(files.count == 2)
        #expect(try files.contains { try Data(contentsOf: $0) == large })
        #expect(try columns("image") == [.text(ExternalValueWriter.reference(to: large).text), .blob(Data([3])), .null])
        #expect(try columns("scan").first == .blob(Data([1, 2])))
        #expect(try columns("thumbnail").first == .blob(large))
        let found = try studio.other.fetch(FetchDescriptor<Portrait>(sortBy: [SortDescriptor(\.title)]))
        #expect(found.map(\.image) == [large, Data([3]), nil])
        #expect(found[0].strokes == Strokes(points: Array(0..<50_000)))
        #expect(found[0].scan == Data([1, 2]) && found[0].thumbnail == large)
    }

    @Test func `a value is loaded when its property is touched, and no other with it`() throws {
        let portrait = Portrait(title: "p", image: large, sitter: Sitter(name: "s"))
        portrait.scan = second
        try save(portrait)
        let context = studio.other
        let found = try #require(try context.only(Portrait.self))
        try withoutFiles {
            // Everything else is there without a file, a relationship and an edit too.
            #expect(found.title == "p" && found.sitter?.name == "s" && found.thumbnail == nil)
            found.title = "edited"
            try context.save()
            context.rollback()
            #expect(found.title == "edited")
        }
        #expect(found.image == large)
        try withoutFiles {
            #expect(found.image == large)
            // The other one was not read along.
            #expect(found.scan == Data())
            #expect(throws: SwiftDataError.self) { try context.save() }
        }
        #expect(found.scan == second)
    }

    @Test func `a missing file reads as the property's default, the next save says so once, and nothing is overwritten`() throws {
        try save(Portrait(title: "p", image: large))
        let context = studio.other
        let found = try #require(try context.only(Portrait.self))
        try withoutFiles {
            for _ in 0..<100 { #expect(found.image == nil) }
            found.title = "edited"
            let error = #expect(throws: SwiftDataError.self) { try context.save() }
            #expect(error?.description.contains("Portrait.image") == true && error?.description.contains(".Studio_SUPPORT") == true)
            try context.save()
        }
        #expect(found.image == large)
        #expect(try studio.other.only(Portrait.self)?.title == "edited")
        let damaged = try #require(try studio.files().first)
        try Data(repeating: 0, count: 10).write(to: damaged)
        #expect(try studio.other.only(Portrait.self)?.image == nil)
        found.image = large
        try context.save()
        #expect(try studio.other.only(Portrait.self)?.image == large)
    }

    @Test func `a fetch that names the property reads it, and one lost file fails no fetch`() throws {
        try save(Portrait(title: "a", image: large), Portrait(title: "b", image: second))
        var descriptor = FetchDescriptor<Portrait>(sortBy: [SortDescriptor(\.title)])
        descriptor.propertiesToFetch = [\.title, \.image]
        let context = studio.other
        let lost = studio.support.appending(path: ExternalValueWriter.reference(to: large).fileName)
        let bytes = try Data(contentsOf: lost)
        try FileManager.default.removeItem(at: lost)
        let found = try context.fetch(descriptor)
        try withoutFiles { #expect(found[1].image == second) }
        try context.save()
        try bytes.write(to: lost)
        #expect(found[0].image == large)
        try context.save()
    }

    @Test func `update, undo by rollback, and deletion`() throws {
        let portrait = Portrait(title: "p", image: large)
        try save(portrait)
        portrait.image = second
        #expect(portrait.image == second)
        studio.context.rollback()
        #expect(portrait.image == large)
        portrait.image = second
        try studio.context.save()
        #expect(try studio.other.only(Portrait.self)?.image == second)
        portrait.image = Data([1])
        try studio.context.save()
        #expect(try columns("image") == [.blob(Data([1]))])
        portrait.image = nil
        try studio.context.save()
        #expect(try columns("image") == [.null])
        studio.context.delete(portrait)
        try studio.context.save()
        #expect(try studio.other.fetchCount(FetchDescriptor<Portrait>()) == 0)
    }

    @Test func `another context's save shows up on the next fetch, an own edit stays`() throws {
        try save(Portrait(title: "p", image: large))
        let context = studio.other
        let (here, there) = (try #require(try studio.context.only(Portrait.self)), try #require(try context.only(Portrait.self)))
        #expect(here.image == large)
        there.image = second
        try context.save()
        #expect(try studio.context.only(Portrait.self) === here)
        #expect(here.image == second)
        here.image = Data([7])
        there.image = large
        try context.save()
        _ = try studio.context.only(Portrait.self)
        #expect(here.image == Data([7]))
        try studio.context.save()
        // A save is no fetch, but what it passes over must not stay hidden for good.
        there.title = "other title"
        try context.save()
        _ = try context.only(Portrait.self)
        #expect(there.image == Data([7]))
    }

    @Test func `saving an equal value logs nothing`() throws {
        let portrait = Portrait(title: "p", image: large)
        try save(portrait)
        let path = studio.folder.appending(path: "Studio.store").path
        func changes() throws -> Int64 { try Connection(path: path, mode: .readOnly).integer("SELECT count(*) FROM _sluice_change") }
        let before = try changes()
        portrait.image = Studio.bytes(300_000)
        try studio.context.save()
        #expect(try changes() == before)
        #expect(try studio.files().count == 1)
    }

    @Test func `many models in one save each get their file`() throws {
        for number in 0..<150 { studio.context.insert(Portrait(title: "\(number)", image: Studio.bytes(132_000, UInt8(number)))) }
        try studio.context.save()
        #expect(try studio.files().count == 150)
        let found = try studio.other.all(Portrait.self)
        #expect(found.allSatisfy { $0.image == Studio.bytes(132_000, UInt8($0.title) ?? 0) })
    }

    @Test func `what a failed save and a crash left is collected, an hour later`() throws {
        struct Stop: Error {}
        let store = try #require(studio.container.bindings.stores.first)
        func collect() throws { _ = try store.write { try $0.collectExternalValues() } }
        let portrait = Portrait(title: "p", image: large)
        try save(portrait)
        #expect(throws: Stop.self) {
            try store.commit(author: nil) { store in
                try store.put("Portrait", RowEdit(attributes: ["title": .string("x"), "scan": .data(Data()), "image": .data(second)]))
                throw Stop()
            }
        }
        #expect(try studio.files().count == 2)
        try collect()
        #expect(try studio.files().count == 2)
        for file in try studio.files() {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: file.path)
        }
        try collect()
        #expect(try studio.files().count == 1)
        #expect(try studio.other.only(Portrait.self)?.image == large)
    }

    @Test func `a value that only history has stays until that history is deleted`() throws {
        let portrait = Portrait(title: "p", image: large)
        try save(portrait)
        portrait.image = second
        try studio.context.save()
        studio.context.delete(portrait)
        try studio.context.save()
        studio.context.insert(Portrait(title: "q"))
        try studio.context.save()
        for file in try studio.files() {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: file.path)
        }
        let store = try #require(studio.container.bindings.stores.first)
        let collected = try store.write { try $0.collectExternalValues() }
        #expect(collected == 0)
        #expect(try studio.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()).deletedCount == 3)
        #expect(try studio.files().isEmpty)
    }

    @Test func `nil checks see a value wherever it lies`() throws {
        try save(Portrait(title: "p", image: large), Portrait(title: "q", image: Data([3])), Portrait(title: "r"))
        try withoutFiles {
            func titles(_ predicate: Predicate<Portrait>) throws -> [String] {
                try studio.other.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
            }
            let some = try titles(#Predicate { $0.image != nil })
            let none = try titles(#Predicate { $0.image == nil && $0.strokes == nil })
            #expect(some == ["p", "q"])
            #expect(none == ["r"])
        }
    }

    @Test func `a predicate or an order that looks into such a value is refused, because its column does not hold it`() throws {
        try save(Portrait(title: "p", image: large), Portrait(title: "q", image: Data([3])))
        let (value, empty) = (Data([3]), Data())
        let predicates: [Predicate<Portrait>] = [
            #Predicate { $0.image == value }, #Predicate { $0.scan == value }, #Predicate { ($0.image ?? empty) == value },
            #Predicate { $0.scan.count > 5 }, #Predicate { $0.image?.isEmpty == true }, #Predicate { [value].contains($0.scan) },
            #Predicate { $0.strokes?.points.isEmpty == false },
            #Predicate { portrait in portrait.sitter?.portraits.contains { $0.scan == value } ?? false },
        ]
        for predicate in predicates {
            let error = #expect(throws: SwiftDataError.unsupportedPredicate) {
                try studio.other.fetch(FetchDescriptor(predicate: predicate))
            }
            #expect(error?.explanation?.contains("external storage") == true)
        }
    }

    @Test func `a batch update puts a large value into a file too, and figures count such values and nothing else`() throws {
        try save(Portrait(title: "p", image: Data([1])), Portrait(title: "q"), Portrait(title: "r", image: second))
        let held = try #require(try studio.context.all(Portrait.self).first)
        #expect(held.image == Data([1]))
        #expect(try studio.context.update(Portrait.self, where: #Predicate { $0.title != "r" }, set: .set(\.image, to: large)) == 2)
        #expect(try columns("image").map(\.text) == [large, large, second].map { ExternalValueWriter.reference(to: $0).text })
        #expect(held.image == large)
        #expect(try studio.context.update(Portrait.self, where: #Predicate { $0.title == "q" }, set: .set(\.image, to: nil)) == 1)
        #expect(try studio.context.aggregate(Portrait.self, .count(of: \.image)) == 2)
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try studio.context.distinct(Portrait.self, \.image) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try studio.context.aggregate(Portrait.self, .count(distinct: \.image)) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try studio.context.aggregate(Portrait.self, .count, groupedBy: \.image) }
    }

    @Test func `a snapshot has the large values, and one that cannot be read is an error, not a lack to be saved`() throws {
        try save(Portrait(title: "p", image: large))
        let schema = Schema([Portrait.self, Sitter.self])
        let store = try DefaultStore(
            ModelConfiguration("Studio", schema: schema, url: studio.folder.appending(path: "Studio.store")), migrationPlan: nil)
        let request = DataStoreFetchRequest(editingState: EditingState(), descriptor: FetchDescriptor<Portrait>())
        let snapshots = try store.fetch(request).fetchedSnapshots
        #expect(snapshots.first?.values["image"] as? Data == large)
        try withoutFiles { #expect(throws: SwiftDataError.self) { try store.fetch(request) } }
        _ = try store.save(DataStoreSaveChangesRequest(editingState: EditingState(), inserted: [], updated: snapshots, deleted: []))
        #expect(try studio.other.only(Portrait.self)?.image == large)
    }

    @Test func `a store in memory keeps its values in its rows`() throws {
        let studio = try Studio(inMemory: true)
        studio.context.insert(Portrait(title: "p", image: large))
        try studio.context.save()
        #expect(try studio.other.only(Portrait.self)?.image == large)
    }

    @Test func `a container that only reads finds the values, and writes nothing`() throws {
        try save(Portrait(title: "p", image: large))
        let configuration = ModelConfiguration(url: studio.folder.appending(path: "Studio.store"), allowsSave: false)
        let context = ModelContext(try ModelContainer(for: Portrait.self, configurations: configuration))
        #expect(try context.only(Portrait.self)?.image == large)
    }
}
