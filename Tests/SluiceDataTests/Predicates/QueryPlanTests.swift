@testable import SluiceData
import SluiceSQLite
import SluiceStore
import Testing

@Model
final class Track {
    #Index<Track>([\.title], [\.plays], [\.added], [\.artist, \.plays], [\.isLiked])
    @Attribute(.unique) var code: UUID
    var title: String
    var artist: String
    var plays: Int
    var added: Date
    var isLiked: Bool
    var album: Album?

    init(code: UUID = UUID(), title: String, artist: String = "", plays: Int = 0, added: Date = .now, isLiked: Bool = false) {
        self.code = code
        self.title = title
        self.artist = artist
        self.plays = plays
        self.added = added
        self.isLiked = isLiked
    }
}

@Model
final class Album {
    var name: String
    @Relationship(inverse: \Track.album) var tracks: [Track] = []
    init(name: String) { self.name = name }
}

/// What SQLite says it will do, over a million rows.
@Suite struct QueryPlanTests {
    private static let rowCount = 1_000_000

    private struct Library: Sendable {
        let container: ModelContainer
        let album: PersistentIdentifier

        init() throws {
            container = try ModelContainer(for: Track.self, Album.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            let context = ModelContext(container)
            let album = Album(name: "first")
            context.insert(album)
            try context.save()
            self.album = album.persistentModelID
            let key = try #require(album.persistentModelID.rowKey)
            // Written by hand: the rows only have to be there.
            _ = try container.bindings.stores[0].commit(author: nil) { store in
                try store.connection.run(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
                    INSERT INTO "Track"(_id, "code", "title", "artist", "plays", "added", "isLiked", "album")
                    SELECT randomblob(16), randomblob(16), 'track ' || i, 'artist ' || (i % 100), i % 1000, i * 1.0, i % 2, iif(i % 1000 = 0, ?, NULL) FROM n
                    """, [SQLiteValue(rowCount), .integer(key)])
            }
        }

        func plan(_ descriptor: FetchDescriptor<Track>) throws -> String {
            let binding = try container.bindings.require(Track.self)
            let (sql, values) = try FetchStatement(descriptor, of: binding, in: container.bindings).selecting("t._pk", limit: descriptor.limit)
            return try binding.store.read { connection in
                try connection.rows("EXPLAIN QUERY PLAN \(sql)", values) { $0.text(3) }.joined(separator: "\n")
            }
        }
    }

    private static let library = Result { try Library() }

    private func check(
        _ predicate: Predicate<Track>?, sortBy: [SortDescriptor<Track>] = [], limit: Int? = nil, uses index: String, count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let library = try Self.library.get()
        var descriptor = FetchDescriptor(predicate: predicate, sortBy: sortBy)
        descriptor.fetchLimit = limit
        let plan = try library.plan(descriptor)
        #expect(plan.contains("INDEX Track$\(index)"), "\(plan)", sourceLocation: sourceLocation)
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)", sourceLocation: sourceLocation)
        #expect(try ModelContext(library.container).fetchIdentifiers(descriptor).count == count, sourceLocation: sourceLocation)
    }

    @Test func `equality uses the declared index`() throws {
        try check(#Predicate { $0.title == "track 77" }, uses: "index_title", count: 1)
        try check(#Predicate { $0.plays == 5 }, uses: "index_plays", count: 1_000)
        try check(#Predicate { $0.artist == "artist 3" && $0.plays == 3 }, uses: "index_artist_plays", count: 1_000)
        try check(#Predicate { !$0.isLiked }, limit: 10, uses: "index_isLiked", count: 10)
    }

    @Test func `a range uses the declared index`() throws {
        let (start, end) = (Date(timeIntervalSinceReferenceDate: 100), Date(timeIntervalSinceReferenceDate: 200))
        try check(#Predicate { $0.plays > 997 }, uses: "index_plays", count: 2_000)
        try check(#Predicate { $0.added >= start && $0.added < end }, uses: "index_added", count: 100)
        try check(#Predicate { (start...end).contains($0.added) }, uses: "index_added", count: 101)
        try check(#Predicate { $0.title.starts(with: "track 9999") }, uses: "index_title", count: 111)
    }

    @Test func `a list uses the declared index, however long it is`() throws {
        let (few, many) = (["track 1", "track 2"], (0..<2_000).map { "track \($0)" })
        try check(#Predicate { few.contains($0.title) }, uses: "index_title", count: 2)
        try check(#Predicate { many.contains($0.title) }, uses: "index_title", count: 2_000)
        let codes = (0..<1_000).map { _ in UUID() }
        try check(#Predicate { codes.contains($0.code) }, uses: "unique_code", count: 0)
    }

    @Test func `an order with a limit walks the declared index`() throws {
        try check(nil, sortBy: [SortDescriptor(\.added, order: .reverse)], limit: 10, uses: "index_added", count: 10)
        try check(nil, sortBy: [SortDescriptor(\.title)], limit: 10, uses: "index_title", count: 10)
        try check(#Predicate { $0.artist == "artist 1" }, sortBy: [SortDescriptor(\.plays)], limit: 10, uses: "index_artist_plays", count: 10)
    }

    @Test func `a partner's rows are found by the reference's index`() throws {
        let album = try Self.library.get().album
        try check(#Predicate { $0.album?.persistentModelID == album }, uses: "album", count: 1_000)
    }

    @Test func `a context holds no more models than a batch has, however many rows are walked`() throws {
        let container = try Self.library.get().container
        var descriptor = FetchDescriptor<Track>(predicate: #Predicate { $0.plays < 20 })
        descriptor.includePendingChanges = false
        let context = ModelContext(container)
        let table = try container.bindings.require(Track.self).tableID
        var (count, most) = (0, 0)
        try context.enumerate(descriptor, batchSize: 500) { _ in
            count += 1
            most = max(most, context.core.maps[table].count)
        }
        #expect(count == 20_000)
        // The batch that goes and the one that comes may overlap.
        #expect(most <= 1_000)
        most = 0
        for track in try context.fetch(descriptor, batchSize: 500) where track.plays >= 0 { most = max(most, context.core.maps[table].count) }
        #expect(most <= 1_000)
    }
}
