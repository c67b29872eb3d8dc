import Foundation
import Observation
import SluiceSQLite
import SluiceStore
import Testing

@testable import SluiceData

/// What a container forgets by itself, and what is said of it.
struct HistoryRetentionTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func container(_ retention: HistoryRetention = .standard, allowsSave: Bool = true) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: folder.url.appending(path: "test.store"), allowsSave: allowsSave)
        configuration.historyRetention = retention
        return try ModelContainer(for: Harbour.self, configurations: configuration)
    }

    private func save(_ count: Int, in context: ModelContext) throws {
        for number in 0..<count { context.insert(Harbour(name: "\(number)")) }
        try context.save()
    }

    private func history(in context: ModelContext, after token: DefaultHistoryToken? = nil) throws -> [Transaction] {
        guard let token else { return try context.fetchHistory(HistoryDescriptor()) }
        return try context.fetchHistory(HistoryDescriptor(predicate: #Predicate { $0.token > token }))
    }

    @Test func `a month and a million changes are kept unless said otherwise`() throws {
        let context = ModelContext(try container())
        for _ in 0..<5 { try save(1, in: context) }
        #expect(try history(in: ModelContext(try container())).count == 5)
        #expect(HistoryRetention.standard == HistoryRetention(age: .seconds(2_592_000), changeCount: 1_000_000))
        #expect(HistoryRetention.standard.bound(at: 2_592_000_500) == 500)
        #expect(HistoryRetention.unlimited.bound(at: 5) == nil)
    }

    @Test func `opening forgets what is too much, and a token of another container's context has expired`() throws {
        let early = ModelContext(try container())
        for _ in 0..<6 { try save(2, in: early) }
        let tokens = try history(in: early).map(\.token)
        let late = ModelContext(try container(HistoryRetention(changeCount: 5)))
        #expect(try history(in: late).map(\.token) == Array(tokens.suffix(2)))
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(in: early, after: tokens[0]) }
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try HistoryObserver(historyTokens: [identifier(early): tokens[0]], modelContext: early)
        }
        #expect(try history(in: early, after: tokens[3]).count == 2)
        #expect(try early.fetchCount(FetchDescriptor<Harbour>()) == 12)
    }

    @Test func `opening forgets what is too old`() throws {
        let context = ModelContext(try container())
        for _ in 0..<3 { try save(1, in: context) }
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute("UPDATE _sluice_transaction SET at = at - 31 * 86400000 WHERE txn < 3")
        #expect(try history(in: ModelContext(try container())).count == 1)
    }

    @Test func `saves forget too, every now and then`() throws {
        let context = ModelContext(try container(HistoryRetention(changeCount: 100)))
        try save(6_000, in: context)
        try save(1, in: context)
        #expect(try history(in: context).count == 2)
        try save(4_000, in: context)
        try save(1, in: context)
        #expect(try history(in: context).count == 2)
        #expect(try context.fetchCount(FetchDescriptor<Harbour>()) == 10_002)
    }

    @Test func `a container that only reads forgets nothing`() throws {
        let context = ModelContext(try container())
        for _ in 0..<3 { try save(1, in: context) }
        let reading = ModelContext(try container(HistoryRetention(age: .zero, changeCount: 0), allowsSave: false))
        #expect(try history(in: reading).count == 3)
    }

    @Test func `everything is kept where that is asked for`() throws {
        let context = ModelContext(try container())
        for _ in 0..<3 { try save(1, in: context) }
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute("UPDATE _sluice_transaction SET at = 0")
        #expect(try history(in: ModelContext(try container(.unlimited))).count == 3)
    }

    @Test(.timeLimit(.minutes(10))) func `an observer that history outran says that there was something`() async throws {
        let container = try container()
        try save(1, in: ModelContext(container))
        let observer = try HistoryObserver(modelContainer: container)
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute(
            """
            BEGIN IMMEDIATE; UPDATE Harbour SET name = 'a'; UPDATE Harbour SET name = 'b'; UPDATE Harbour SET name = 'c';
            DELETE FROM _sluice_change WHERE seq < 4; COMMIT
            """)
        for await seen in Observations({ observer.eventCounter }) where seen > 0 {
            #expect(seen == 2)
            break
        }
    }

    private func identifier(_ context: ModelContext) -> String { context.container.bindings.stores[0].identifier }
}
