import Foundation
import SluiceData
import SluiceSQLite
import Testing

struct DeletingHistoryTests {
    private let folder: StoreFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        container = try folder.container(for: Harbour.self)
        context = ModelContext(container)
        for name in ["a", "b", "c", "d"] { try save(name) }
    }

    private func save(_ name: String) throws {
        context.author = name
        context.insert(Harbour(name: name))
        try context.save()
    }

    private func history(_ predicate: Predicate<Transaction>? = nil) throws -> [Transaction] {
        try context.fetchHistory(HistoryDescriptor(predicate: predicate))
    }

    @Test func `history goes up to a token, and rows stay`() throws {
        let token = try history()[1].token
        let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= token }))
        #expect(deletion.deletedCount == 2 && deletion.keptCount == 0 && deletion.keptFor.isEmpty)
        #expect(try history().map(\.author) == ["c", "d"])
        #expect(try context.fetchCount(FetchDescriptor<Harbour>()) == 4)
    }

    @Test func `history goes by author too, out of the middle`() throws {
        try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.author == "b" }))
        #expect(try history().map(\.author) == ["a", "c", "d"])
    }

    @Test func `the newest transaction stays, and the answer says so`() throws {
        let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>())
        #expect(deletion.deletedCount == 3 && deletion.keptCount == 1)
        #expect(deletion.keptFor == ["newest transaction"])
        let last = try #require(try history().first).token
        try save("e")
        #expect(try history(#Predicate { $0.token > last }).map(\.author) == ["e"])
    }

    @Test func `what a registered reader has not seen stays`() throws {
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute("INSERT INTO _sluice_cursor(consumer, seq) VALUES ('projection', 1)")
        let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>())
        #expect(deletion.deletedCount == 1 && deletion.keptCount == 3)
        #expect(deletion.keptFor == ["newest transaction", "projection"])
        #expect(try history().map(\.author) == ["b", "c", "d"])
    }

    @Test func `what the outbox has not sent stays`() throws {
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute("INSERT INTO _sluice_sync(key, value) VALUES ('drained', 2)")
        let deletion = try context.deleteHistory(HistoryDescriptor<Transaction>())
        #expect(deletion.deletedCount == 2 && deletion.keptFor == ["newest transaction", "outbox"])
    }

    @Test func `a token from before what was deleted has expired`() throws {
        let tokens = try history().map(\.token)
        let (expired, valid) = (tokens[0], tokens[1])
        try context.deleteHistory(HistoryDescriptor<Transaction>(predicate: #Predicate { $0.token <= valid }))
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(#Predicate { $0.token > expired }) }
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(#Predicate { $0.author == "d" && $0.token >= valid }) }
        #expect(try history(#Predicate { $0.token > valid }).map(\.author) == ["c", "d"])
        // Without a place to start from, what is there is the answer.
        #expect(try history().count == 2)
    }

    @Test func `a token that the store has not reached has expired too`() throws {
        let copy = try StoreFolder()
        let early = try #require(try history().first).token
        let text = try String(decoding: JSONEncoder().encode(early), as: UTF8.self).replacing(":1}", with: ":999}")
        let late = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8))
        #expect(early < late)
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(#Predicate { $0.token > late }) }
        withExtendedLifetime(copy) {}
    }

    @Test func `a limit bounds what is deleted`() throws {
        var descriptor = HistoryDescriptor<Transaction>()
        descriptor.fetchLimit = 2
        #expect(try context.deleteHistory(descriptor).deletedCount == 2)
        #expect(try history().map(\.author) == ["c", "d"])
    }
}
