import Foundation
import SluiceData
import Testing

/// Values without models, beside those of the models.
@Suite struct FetchValuesTests {
    private func gallery() throws -> Gallery {
        var random = SeededRandom(seed: 23)
        let gallery = try Gallery()
        try gallery.fill(&random, pieces: 60)
        return gallery
    }

    @Test func `values are those of the models, in the order of the descriptor`() throws {
        let gallery = try gallery()
        let descriptor = FetchDescriptor<Piece>(predicate: #Predicate { $0.isShown }, sortBy: [SortDescriptor(\.name), SortDescriptor(\.count)])
        let values = try gallery.context.fetchValues(descriptor, \.name, \.count, \.note, \.code, \.made, \.price, \.level)
        let pieces = try gallery.context.fetch(descriptor)
        #expect(values.count == pieces.count && !pieces.isEmpty)
        for (value, piece) in zip(values, pieces) {
            #expect(value.0 == piece.name && value.1 == piece.count && value.2 == piece.note && value.3 == piece.code)
            #expect(value.4 == piece.made && value.5 == piece.price && value.6 == piece.level)
        }
    }

    @Test func `a key path may lead over a partner`() throws {
        let gallery = try gallery()
        let titles = try gallery.context.fetchValues(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.name)]), \.room?.title)
        let pieces = try gallery.context.fetch(FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.name)]))
        #expect(titles == pieces.map { $0.room?.title })
        #expect(titles.contains { $0 != nil } && titles.contains { $0 == nil })
    }

    @Test func `a limit and an offset are kept`() throws {
        let gallery = try gallery()
        var descriptor = FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.name), SortDescriptor(\.count)])
        let all = try gallery.context.fetchValues(descriptor, \.count)
        descriptor.fetchLimit = 5
        descriptor.fetchOffset = 10
        #expect(try gallery.context.fetchValues(descriptor, \.count) == Array(all[10..<15]))
    }

    @Test func `unsaved edits are in the values, unless they are left out`() throws {
        let gallery = try Gallery()
        gallery.add("saved") { $0.count = 1 }
        try gallery.context.save()
        gallery.add("new") { $0.count = 2 }
        var descriptor = FetchDescriptor<Piece>(sortBy: [SortDescriptor(\.count)])
        #expect(try gallery.context.fetchValues(descriptor, \.name) == ["saved", "new"])
        descriptor.includePendingChanges = false
        #expect(try gallery.context.fetchValues(descriptor, \.name) == ["saved"])
    }

    @Test func `no model is made`() throws {
        let gallery = try gallery()
        let context = ModelContext(gallery.container)
        _ = try context.fetchValues(FetchDescriptor<Piece>(), \.name)
        let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Piece>()).first)
        let model: Piece? = context.registeredModel(for: identifier)
        #expect(model == nil)
    }

    @Test func `a model is no value, and neither is what is not stored`() throws {
        let gallery = try gallery()
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.fetchValues(FetchDescriptor<Piece>(), \.room) }
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try gallery.context.fetchValues(FetchDescriptor<Piece>(), \.hasChanges) }
    }
}
