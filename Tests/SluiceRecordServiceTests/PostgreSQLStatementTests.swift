import Foundation
import SluiceRecords
import Synchronization
import Testing

@testable import SluiceRecordService

/// No statement reaches across databases (a rule of the design: every table is keyed by the database first).
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLStatementTests {
    /// Why some statements are not about one database. A new reason is a decision.
    private static let reasons: Set<String> = [
        "a token's digest leads to its database", "the database of a name", "makes a database", "files of anybody that nobody refers to",
        "what metrics say about everything", "an operator's list of databases", "who has something to forget", "the timeline", "one process at a time",
        "one process migrates", "whether there is a service", "of which version the tables are", "schemas", "the service's own row",
        "what the long polls of this process wait for", "what records of a container look like",
    ]
    private static let tables = ["database", "head", "zone", "record", "commit_log", "reference", "ledger", "token", "asset_use", "asset", "record_field"]

    /// What is wrong with a statement; nil where nothing is.
    static func fault(of sql: String) -> String? {
        if let comment = sql.firstMatch(of: /\/\* global: ([^*]+) \*\//) {
            return reasons.contains(String(comment.1)) ? nil : "no reason of those that are allowed"
        }
        if sql.hasPrefix("CREATE ") { return nil }
        let names = tables.joined(separator: "|")
        guard let mention = try? Regex("\\b(?:FROM|JOIN|INTO|UPDATE) (\(names))\\b", as: (Substring, Substring).self),
            let key = try? Regex("\\b(?:(?:\(names)|old|newer)\\.)?database = (?:\\$[0-9]+|(?:\(names))\\.database)|\\bdatabase\\.id = (?:zone|token)\\.database", as: Substring.self)
        else { return "the test's own patterns" }
        let mentioned = sql.matches(of: mention)
        if mentioned.isEmpty { return nil }
        let insertions = mentioned.count { $0.output.0.hasPrefix("INTO") }
        if insertions > 0, !sql.contains(/INTO [a-z_]+(?:\([^)]*\bdatabase\b[^)]*\)| VALUES)/) { return "an insertion without a database" }
        return sql.matches(of: key).count >= mentioned.count - insertions ? nil : "\(mentioned.count) tables, \(sql.matches(of: key).count) keys"
    }

    @Test func `every statement names its database, or is on the list of those that cannot`() async throws {
        let seen = Mutex<Set<String>>([])
        let fixture = try await StorageFixture(.postgresql) { sql in seen.withLock { _ = $0.insert(sql) } }
        try await useEverything(of: fixture)
        let statements = seen.withLock { $0 }
        #expect(statements.count > 60)
        for sql in statements.sorted() {
            if let fault = Self.fault(of: sql) { Issue.record("\(fault): \(sql)") }
        }
    }

    /// One of each call, with what makes them say something.
    private func useEverything(of fixture: StorageFixture) async throws {
        let storage = fixture.storage
        let asset = StoredAsset(id: AssetID(random: { 1 }), digest: Data(count: 32), byteCount: 10)
        try await storage.addAsset(asset, quota: .max, in: fixture.database)
        var value = Asset(fileChecksum: asset.fileChecksum, size: 10)
        value.receipt = asset.id.description
        let child = ["f": Field(.asset(value)), "p": Field(.reference(Reference(recordName: "a", action: .deleteSelf)))]
        let id = OperationID(holder: "h", id: "o", digest: Data([1]))
        try await fixture.done([create("a"), RecordOperation(.create, note("b", child)), create("kept")], id: id)
        try await fixture.done([RecordOperation(.forceUpdate, note("kept")), RecordOperation(.forceDelete, note("unknown"))], buriesUnknown: true)
        try await fixture.done([RecordOperation(.forceDelete, Record("a"))])
        let token = try await fixture.page(limit: 1, types: ["Note", "Other"]).token
        _ = try await fixture.page(token, limit: 1)
        _ = try await fixture.page(limit: 1, isReversed: true)
        _ = try await fixture.record("kept")
        let rules = try QueryRules(RecordQuery("Note"))
        _ = try await storage.query(QueryCommand(rules, zone: nil, limit: 1), in: fixture.database)
        _ = try await storage.zones(in: fixture.database)
        let page = try await storage.databaseChanges(since: nil, limit: 1, in: fixture.database)
        _ = try await storage.databaseChanges(since: page.token, limit: 1, in: fixture.database)
        _ = try await storage.assets([asset.id], in: fixture.database)
        _ = try await storage.keepAssets([asset.id], in: fixture.database)
        _ = try await storage.acceptsAPIToken(digest: Data([9]), for: StorageFixture.path)
        let key = Data([7])
        try await storage.addToken(
            NewToken(
                .serverKey(publicKey: key, user: "key", holder: "h"), digest: key, container: StorageFixture.path.container,
                environment: StorageFixture.path.environment))
        _ = try await storage.serverKey(identifier: key, for: StorageFixture.path)
        var rotating = NewToken(
            .user(name: "ann", holder: "web"), digest: Data([5]), container: StorageFixture.path.container, environment: StorageFixture.path.environment)
        rotating.rotation = .init(.strict, successor: Data([6]))
        try await storage.addToken(rotating)
        #expect(try await storage.caller(rotatingTo: Data([6]), successor: Data([8]), for: StorageFixture.path) != nil)
        _ = try await storage.tokens()
        _ = try await storage.revokeToken(id: 99)
        try await storage.addRecordFields([RecordField("Note")], to: "c", .production)
        _ = try await storage.recordFields(of: "c", .production)
        _ = try await storage.statistics()
        for database in try await storage.databases(after: nil, limit: 5) { _ = try await storage.files(in: database.database, after: nil, limit: 5) }
        #expect(try await storage.faults(in: fixture.database) == [])
        #expect(try await storage.engineFaults() == [])
        _ = try await storage.modifyZones([ZoneOperation(.create, ZoneID("Other")), ZoneOperation(.delete, ZoneID("Other"))], in: fixture.database)
        _ = try await storage.modifyZones([ZoneOperation(.create, ZoneID("Other"))], in: fixture.database)
        fixture.clock.advance(days: Int64(ServiceLimits.tombstoneDays) + 1)
        try await fixture.done([create("late")])
        _ = try await storage.forgetAssets(unusedSince: .max, limit: 10)
        try await storage.prune()
        try await (storage as? PostgreSQLRecordStorage)?.beginEpoch()
        let watch = storage.watch(fixture.database)
        _ = try await storage.databaseChanges(since: nil, limit: 1, in: fixture.database)
        await watch.wait(.seconds(5))
    }

    @Test(
        "a statement that reaches across is found",
        arguments: [
            "SELECT name FROM record WHERE zone = $1", "UPDATE zone SET purged = 1", "INSERT INTO ledger(holder) VALUES ($1)",
            "DELETE FROM record WHERE database = $1 AND name IN (SELECT source FROM reference)", "/* global: because */ SELECT count(*) FROM record",
            "SELECT zone.name FROM record JOIN zone ON zone.id = record.zone WHERE record.database = $1", "UPDATE head SET bytes = 0",
            "UPDATE database SET record_name = $1 WHERE id = $2", "SELECT record_name FROM database WHERE id = $1",
            "SELECT head.bytes FROM head JOIN zone ON zone.database = $1",
        ])
    func planted(sql: String) { #expect(Self.fault(of: sql) != nil) }
}
