import Foundation
import Observation
import Testing

@testable import SluiceData

@MainActor struct SectionedResultsTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        container = try ModelContainer(for: HeardTrack.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func add(_ tracks: [(title: String, album: String?, genre: String)]) throws {
        for track in tracks { context.insert(HeardTrack(title: track.title, album: track.album, genre: track.genre)) }
        try context.save()
    }

    private func shape(_ observer: ResultsObserver<HeardTrack, String>) -> [String] {
        (observer.sections ?? SectionedResults([], titledBy: { _ in "" })).map { "\($0.title): \($0.map(\.title).joined(separator: " "))" }
    }

    @Test func `results come in sections, sorted by them first`() throws {
        try add([("c", nil, "rock"), ("b", nil, "jazz"), ("a", nil, "rock")])
        let observer = try ResultsObserver(sortBy: [SortDescriptor(\HeardTrack.title)], sectionBy: \.genre, modelContext: context)
        #expect(shape(observer) == ["jazz: b", "rock: a c"])
        #expect(observer.sortBy.map(\.keyPath) == [\HeardTrack.genre, \HeardTrack.title])
        observer.sortBy = [SortDescriptor(\HeardTrack.title, order: .reverse)]
        #expect(observer.sortBy.map(\.keyPath) == [\HeardTrack.genre, \HeardTrack.title])
        #expect(shape(observer) == ["jazz: b", "rock: c a"])
        observer.sortBy = [SortDescriptor(\HeardTrack.genre, order: .reverse), SortDescriptor(\HeardTrack.title)]
        #expect(shape(observer) == ["rock: a c", "jazz: b"])
        #expect(observer.results.map(\.title) == ["a", "c", "b"])
    }

    @Test func `a section is found by its title`() throws {
        try add([("a", "x", "rock"), ("b", nil, "jazz"), ("c", "x", "jazz")])
        let observer = try ResultsObserver<HeardTrack, String>(sectionBy: \.album, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.sectionTitles == ["", "x"])
        #expect(sections[sectionTitle: "x"]?.map(\.title) == ["a", "c"])
        #expect(sections[sectionTitle: ""]?.map(\.title) == ["b"])
        #expect(sections[sectionTitle: "y"] == nil && sections.index(ofSectionTitled: "y") == nil)
        #expect(sections.index(ofSectionTitled: "x") == 1)
        #expect(sections[1].id == "x")
    }

    @Test func `sections keep the order in which their titles first appear`() {
        let tracks = ["b", "a", "b", "c"].map { HeardTrack(title: $0) }
        let sections = SectionedResults(tracks, titledBy: \.title)
        #expect(sections.sectionTitles == ["b", "a", "c"])
        #expect(sections[0].count == 2 && sections[0][1] === tracks[2])
    }

    @Test func `places lead to models and back`() throws {
        try add([("a", nil, "rock"), ("b", nil, "jazz"), ("c", nil, "rock")])
        let observer = try ResultsObserver<HeardTrack, String>(sectionBy: \.genre, modelContext: context)
        let track = try #require(observer.element(at: IndexPath(item: 1, section: 1)))
        #expect(track.genre == "rock")
        #expect(observer.indexPath(for: track) == IndexPath(item: 1, section: 1))
        for path in [IndexPath(item: 2, section: 1), IndexPath(item: 0, section: 2), IndexPath(index: 0), IndexPath(item: -1, section: 0)] {
            #expect(observer.element(at: path) == nil)
        }
        #expect(observer.indexPath(for: HeardTrack(title: "stranger")) == nil)
        let flat = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        #expect(flat.sections == nil)
        let last = try #require(flat.element(at: IndexPath(item: 2, section: 0)))
        #expect(flat.indexPath(for: last) == IndexPath(item: 2, section: 0))
        #expect(flat.element(at: IndexPath(item: 0, section: 1)) == nil)
    }

    @Test func `a model that moves to another section moves in the results`() throws {
        try add([("a", nil, "rock"), ("b", nil, "jazz")])
        let observer = try ResultsObserver<HeardTrack, String>(sectionBy: \.genre, modelContext: context)
        let track = try #require(observer.sections?[sectionTitle: "rock"]?.first)
        track.genre = "jazz"
        #expect(observer.sections?.sectionTitles == ["jazz"])
        #expect(observer.indexPath(for: track)?.section == 0)
    }

    @Test func `a property that is not stored makes no sections`() throws {
        #expect(throws: SwiftDataError.unsupportedKeyPath) {
            try ResultsObserver<HeardTrack, String>(sectionBy: \.lowercased, modelContext: context)
        }
    }

    @Test func `an edit of a filter fetches anew`() throws {
        try add([("a", nil, "rock"), ("b", nil, "jazz")])
        let observer = try ResultsObserver<HeardTrack, Never>(modelContext: context)
        observer.filterBy = #Predicate { $0.genre == "jazz" }
        #expect(observer.results.map(\.title) == ["b"])
        #expect(observer.fetchDescriptor.predicate != nil)
        observer.filterBy = nil
        #expect(observer.results.count == 2)
    }
}
