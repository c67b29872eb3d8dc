import Foundation
import SluiceData
import SluiceSQLite
import SluiceStore
import Testing

@Model class Vessel {
    @Attribute(.unique, .preserveValueOnDeletion) var hull: String
    var tons = 0
    @Attribute(.preserveValueOnDeletion) var flag: VesselFlag = VesselFlag.red
    @Attribute(.preserveValueOnDeletion) var scrappedAt: Date?
    @Relationship(inverse: \Harbour.vessels) var harbour: Harbour?
    @Relationship(inverse: \Owner.vessels) var owners: [Owner] = []

    init(hull: String) { self.hull = hull }
}

@Model final class Tug: Vessel {
    var pull = 0.0

    init(hull: String, pull: Double) {
        self.pull = pull
        super.init(hull: hull)
    }
}

@Model final class Harbour {
    var name: String
    var vessels: [Vessel] = []

    init(name: String) { self.name = name }
}

@Model final class Owner {
    var name: String
    var vessels: [Vessel] = []

    init(name: String) { self.name = name }
}

enum VesselFlag: String, Codable { case red, blue }

typealias Transaction = DefaultHistoryTransaction

struct HistoryTests {
    private let folder: StoreFolder
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try StoreFolder()
        container = try folder.container(for: Vessel.self, Tug.self)
        context = ModelContext(container)
    }

    private func history(_ predicate: Predicate<Transaction>? = nil) throws -> [Transaction] {
        try context.fetchHistory(HistoryDescriptor(predicate: predicate))
    }

    private func save(_ hulls: [String], author: String? = nil) throws {
        context.author = author
        for hull in hulls { context.insert(Vessel(hull: hull)) }
        try context.save()
    }

    // MARK: What happened

    @Test func `each save is one transaction, in order, with the author of its context`() throws {
        try save(["a", "b"], author: "app")
        try save(["c"], author: nil)
        let found = try history()
        #expect(found.map(\.changes.count) == [2, 1])
        #expect(found.map(\.author) == ["app", nil])
        #expect(found[0].token < found[1].token && found[0].transactionIdentifier < found[1].transactionIdentifier)
        #expect(Set(found.map(\.storeIdentifier)) == [try #require(container.storeIdentifier(forConfigurationNamed: "test"))])
        #expect(abs(found[1].timestamp.timeIntervalSinceNow) < 3_600)
        for change in found.flatMap(\.changes) {
            let insert = if case .insert(let insert) = change { insert as? DefaultHistoryInsert<Vessel> } else { DefaultHistoryInsert<Vessel>?.none }
            #expect(insert != nil)
        }
    }

    @Test func `a save that changed nothing leaves no transaction`() throws {
        try save(["a"])
        let vessel = try #require(try context.fetch(FetchDescriptor<Vessel>()).first)
        vessel.tons = 0
        try context.save()
        #expect(try history().count == 1)
    }

    @Test func `an update names the properties that changed`() throws {
        try save(["a"])
        let vessel = try #require(try context.fetch(FetchDescriptor<Vessel>()).first)
        vessel.tons = 5
        vessel.harbour = Harbour(name: "Kiel")
        try context.save()
        let changes = try #require(try history().last).changes
        #expect(changes.count == 2)
        let updates = changes.compactMap { change in
            if case .update(let update as DefaultHistoryUpdate<Vessel>) = change { update } else { nil }
        }
        let update = try #require(updates.first)
        #expect(update.changedPersistentIdentifier == vessel.persistentModelID)
        #expect(Set(update.updatedAttributes.map { $0 as AnyKeyPath }) == [\Vessel.tons, \Vessel.harbour])
        let value = vessel[keyPath: try #require(update.updatedAttributes.first { $0 == \Vessel.tons })]
        #expect(value as? Int == 5)
    }

    @Test func `a subclass's update names inherited properties by the class that declares them`() throws {
        let tug = Tug(hull: "t", pull: 1)
        context.insert(tug)
        try context.save()
        tug.tons = 9
        tug.pull = 2
        try context.save()
        guard case .update(let update as any HistoryUpdate<Tug>) = try #require(try history().last?.changes.first) else {
            Issue.record("not an update of a Tug")
            return
        }
        #expect(Set(update.updatedAttributes.map { $0 as AnyKeyPath }) == [\Vessel.tons, \Tug.pull])
        #expect(update.updatedAttributes.compactMap { tug[keyPath: $0] as? Int } == [9])
    }

    @Test func `members of a many-to-many are a change of both ends`() throws {
        let vessel = Vessel(hull: "a")
        let owner = Owner(name: "Hansen")
        context.insert(vessel)
        context.insert(owner)
        try context.save()
        vessel.owners.append(owner)
        try context.save()
        let changes = try #require(try history().last).changes
        #expect(Set(changes.map(\.changedPersistentIdentifier)) == [vessel.persistentModelID, owner.persistentModelID])
        let names = changes.compactMap { change -> AnyKeyPath? in
            switch change {
            case .update(let update as DefaultHistoryUpdate<Vessel>): update.updatedAttributes.first
            case .update(let update as DefaultHistoryUpdate<Owner>): update.updatedAttributes.first
            default: nil
            }
        }
        #expect(Set(names) == [\Vessel.owners, \Owner.vessels])
    }

    @Test func `a tombstone holds what was to be preserved, and nothing else`() throws {
        let tug = Tug(hull: "t", pull: 1)
        tug.flag = .blue
        tug.tons = 7
        context.insert(tug)
        try context.save()
        let identifier = tug.persistentModelID
        context.delete(tug)
        try context.save()
        guard case .delete(let deletion as DefaultHistoryDelete<Tug>) = try #require(try history().last?.changes.first) else {
            Issue.record("not a deletion of a Tug")
            return
        }
        #expect(deletion.changedPersistentIdentifier == identifier)
        let tombstone = deletion.tombstone
        #expect(tombstone[\.hull] as? String == "t")
        #expect(tombstone[\.flag] as? VesselFlag == .blue)
        #expect(tombstone[\.scrappedAt] == nil)
        #expect(tombstone[\.tons] == nil && tombstone[\.pull] == nil)
        #expect(tombstone.map { $0.attribute as AnyKeyPath } == [\Vessel.hull, \Vessel.flag])
        #expect(tombstone.compactMap { $0.value as? String } == ["t"])
    }

    @Test func `a deletion by predicate is history too`() throws {
        try save(["a", "b"])
        try context.delete(model: Vessel.self)
        #expect(try #require(try history().last).changes.count == 2)
    }

    @Test func `an edit made with another program appears as a transaction of its own`() throws {
        try save(["a"])
        let connection = try Connection(path: folder.path(), mode: .readWrite)
        try connection.execute("UPDATE Vessel SET tons = 3")
        let transaction = try #require(try history().last)
        #expect(transaction.author == "another program")
        #expect(try history().count == 2)
        #expect(abs(transaction.timestamp.timeIntervalSinceNow) < 3_600)
        guard case .update(let update as DefaultHistoryUpdate<Vessel>) = transaction.changes.first else {
            Issue.record("not an update")
            return
        }
        #expect(update.updatedAttributes.map { $0 as AnyKeyPath } == [\Vessel.tons])
        #expect(try history(#Predicate { $0.author == "another program" }).count == 1)
    }

    // MARK: Asking

    @Test func `a token gives what came after it`() throws {
        try save(["a"], author: "app")
        let last = try #require(try history().last).token
        #expect(try history(#Predicate { $0.token > last }).isEmpty)
        try save(["b"], author: "app")
        try save(["c"], author: "widget")
        #expect(try history(#Predicate { $0.token > last }).count == 2)
        #expect(try history(#Predicate { last < $0.token && $0.author != "app" }).map(\.author) == ["widget"])
        #expect(try history(#Predicate { $0.token <= last }).count == 1)
        #expect(try history(#Predicate { !($0.token > last) || $0.author == "widget" }).map(\.author) == ["app", "widget"])
    }

    @Test func `a token survives being stored`() throws {
        try save(["a"])
        let token = try #require(try history().last).token
        let copy = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
        #expect(copy == token && copy.hashValue == token.hashValue)
        #expect(copy.tokenValue?.keys.first == copy.storeIdentifier)
        try save(["b"])
        #expect(try history(#Predicate { $0.token > copy }).count == 1)
    }

    @Test func `transactions are chosen by author, time and store`() throws {
        for (index, author) in ["app", nil, "widget"].enumerated() { try save(["\(index)"], author: author) }
        let store = try #require(container.storeIdentifier(forConfigurationNamed: "test"))
        let (past, future, me) = (Date.distantPast, Date.distantFuture, "app")
        #expect(try history(#Predicate { $0.author != "app" }).map(\.author) == [nil, "widget"])
        #expect(try history(#Predicate { $0.author == me }).count == 1)
        #expect(try history(#Predicate { $0.author == nil }).count == 1)
        #expect(try history(#Predicate { $0.timestamp < past }).isEmpty)
        #expect(try history(#Predicate { $0.timestamp < future }).count == 3)
        #expect(try history(#Predicate { $0.storeIdentifier == store }).count == 3)
        #expect(try history(#Predicate { $0.storeIdentifier != store }).isEmpty)
        #expect(try history(#Predicate { _ in false }).isEmpty)
    }

    @Test func `a predicate of another shape is evaluated as it stands`() throws {
        try save(["a", "b"], author: "app one")
        try save(["c"], author: "app two")
        #expect(try history(#Predicate { $0.changes.count > 1 }).map(\.author) == ["app one"])
        #expect(try history(#Predicate { ($0.author ?? "").contains("two") }).map(\.author) == ["app two"])
    }

    @Test func `changes are filtered by model type (behaviour 72)`() throws {
        context.author = "app"
        context.insert(Vessel(hull: "a"))
        context.insert(Harbour(name: "Kiel"))
        try context.save()
        let harbours = try history(#Predicate { $0.author == "app" }).flatMap(\.changes).filter { change in
            if case .insert(let insert) = change { insert is any HistoryInsert<Harbour> } else { false }
        }
        #expect(harbours.map(\.changedPersistentIdentifier.entityName) == ["Harbour"])
    }

    @Test(arguments: [1, 3, 7]) func `the newest come first where that is asked, and no more than asked`(limit: Int) throws {
        for index in 0..<5 { try save(["\(index)"], author: "\(index)") }
        var descriptor = HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        descriptor.fetchLimit = UInt64(limit)
        #expect(try context.fetchHistory(descriptor).map(\.author) == (0..<5).reversed().prefix(limit).map(String.init))
        #expect(try context.fetchHistory(descriptor).allSatisfy { $0.changes.count == 1 })
        descriptor.sortBy = []
        #expect(try context.fetchHistory(descriptor).map(\.author) == (0..<5).prefix(limit).map(String.init))
    }

    @Test func `any other order is kept too`() throws {
        for author in ["c", "a", "b"] { try save([author], author: author) }
        let byAuthor = HistoryDescriptor<Transaction>(sortBy: [SortDescriptor(\.author, order: .reverse)])
        #expect(try context.fetchHistory(byAuthor).map(\.author) == ["c", "b", "a"])
        let newestFirst = SortDescriptor(\Transaction.transactionIdentifier, order: .reverse)
        let byTime = HistoryDescriptor(sortBy: [SortDescriptor(\Transaction.timestamp), newestFirst])
        #expect(try context.fetchHistory(byTime).count == 3)
    }

    @Test func `a save tells its token to whoever listens`() throws {
        nonisolated(unsafe) var tokens: [String: any HistoryToken] = [:]
        // The notification is posted by this thread, within save().
        let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
            tokens = notification.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue] as? [String: any HistoryToken] ?? [:]
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try save(["a"])
        let newest = try #require(try history().last)
        #expect(tokens[newest.storeIdentifier] as? DefaultHistoryToken == newest.token)
    }

    @Test func `a store in memory has history as well`() throws {
        let container = try ModelContainer(for: Vessel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(Vessel(hull: "a"))
        try context.save()
        #expect(try context.fetchHistory(HistoryDescriptor<Transaction>()).count == 1)
    }

    @Test func `a store that is only read shows its history and keeps it`() throws {
        try save(["a"], author: "app")
        try save(["b"], author: "app")
        let url = folder.url.appending(path: "test.store")
        let container = try ModelContainer(
            for: Schema([Vessel.self, Tug.self]), configurations: [ModelConfiguration("reading", url: url, allowsSave: false)])
        let reader = ModelContext(container)
        #expect(try reader.fetchHistory(HistoryDescriptor<Transaction>()).map(\.author) == ["app", "app"])
        #expect(throws: SwiftDataError.self) { try reader.deleteHistory(HistoryDescriptor<Transaction>()) }
        #expect(try history().count == 2)
    }
}
