import Foundation
import SluiceRecordService
import SluiceRecords

/// What many devices do to one storage, and how often in a second.
struct StorageLoad {
    private let storage: any RecordStorage
    private let records: Int
    private let duration: Duration

    private static let zone = ZoneID("Notes")
    private static let path = DatabasePath(container: "iCloud.bench", environment: .development, scope: .private)
    private static let width = 32
    private static let batchCount = 500
    private static let pageCount = 200

    init(_ storage: any RecordStorage, records: Int, duration: Duration) {
        self.storage = storage
        self.records = records
        self.duration = duration
    }

    /// Rates by what was done, each counted when it was durable or read.
    /// - Throws: `StorageError`; `WrongResult` where something is missing afterwards.
    func rates() async throws -> [(work: String, perSecond: Double)] {
        let owner = try await makeUser("owner")
        let names = (0..<records).map { _ in UUID().uuidString }
        var rates: [(String, Double)] = []
        var began = ContinuousClock.now
        for start in stride(from: 0, to: records, by: Self.batchCount) {
            try await write(Array(names[start..<min(start + Self.batchCount, records)]), to: owner)
        }
        rates.append(("new records, batches of \(Self.batchCount)", Self.rate(records, since: began)))
        began = .now
        try await readFeed(of: owner)
        rates.append(("records of a feed, pages of \(Self.pageCount)", Self.rate(records, since: began)))
        var users: [DatabaseID] = []
        for number in 0..<Self.width { users.append(try await makeUser("user \(number)")) }
        let many = users
        rates.append(("commits of one record, \(Self.width) writers, \(Self.width) users", try await repeating { try await write([UUID().uuidString], to: many[$0]) }))
        rates.append(("commits of one record, \(Self.width) writers, one user", try await repeating { _ in try await write([UUID().uuidString], to: owner) }))
        let lookups = try await repeating { _ in
            let name = names[Int.random(in: 0..<records)]
            let found = try await storage.records(named: [name], zone: Self.zone, in: owner)
            try WrongResult.check(found.count == 1 && found[0] != nil, "record \(name) is gone")
        }
        rates.append(("lookups of one record, \(Self.width) readers", lookups))
        return rates
    }

    private static func rate(_ count: Int, since began: ContinuousClock.Instant) -> Double {
        Double(count) / (began.duration(to: .now) / .seconds(1))
    }

    private func makeUser(_ name: String) async throws -> DatabaseID {
        let digest = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        try await storage.addToken(
            NewToken(.user(name: name, holder: "bench"), digest: digest, container: Self.path.container, environment: Self.path.environment))
        guard let caller = try await storage.caller(digest: digest, for: Self.path) else { throw WrongResult(description: "a token was not kept") }
        _ = try await storage.modifyZones([ZoneOperation(.create, Self.zone)], in: caller.database)
        return caller.database
    }

    /// New records of about 200 bytes.
    private func write(_ names: [String], to database: DatabaseID) async throws {
        let elements = try names.map { name in
            let fields = ["title": Field(.string("Item \(name)")), "note": Field(.string(String(repeating: "n", count: 100))), "count": Field(.int64(1))]
            return PreparedElement.operation(try PreparedOperation(RecordOperation(.create, Record(name, type: "Item", fields: fields))))
        }
        let outcome = try await storage.modify(ModifyCommand(database: database, zone: Self.zone, isAtomic: true, elements: elements))
        guard case .done(let results) = outcome, results.allSatisfy({ if case .failure = $0 { false } else { true } }) else {
            throw WrongResult(description: "records were refused")
        }
    }

    private func readFeed(of database: DatabaseID) async throws {
        var (token, count, isOver): (SyncToken?, Int, Bool) = (nil, 0, false)
        while !isOver {
            let page = try await storage.zoneChanges(FeedQuery(zone: Self.zone, token: token, limit: Self.pageCount), in: database)
            (token, count, isOver) = (page.token, count + page.records.count, !page.moreComing)
        }
        try WrongResult.check(count == records, "the feed has \(count) records of \(records)")
    }

    /// How often in a second all workers together get through `body`, which is told who asks.
    private func repeating(_ body: @escaping @Sendable (Int) async throws -> Void) async throws -> Double {
        let began = ContinuousClock.now
        let end = began + duration
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<Self.width {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await body(worker)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Self.rate(counts, since: began)
    }
}
