import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Tables of every earlier version, with what a service keeps in them, become those of this one; and what clients hold of them stays good.
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLUpgradeTests {
    private static let digest = Data(repeating: 5, count: 32)
    /// What every version has, by the first one's columns.
    private static let columns = [
        ("zone", "database, id, name, nonce, sequence, head_nonce, purged, changed, is_deleted, reason"),
        (
            "record",
            "database, zone, name, type, sequence, nonce, fields, parent, bytes, is_deleted, created, created_device, modified, modified_device"
        ),
        ("commit_log", "database, zone, last, first, nonce, time"), ("reference", "database, zone, target, source, action"),
        ("ledger", "database, holder, operation, digest, outcome, created"),
        ("token", "id, digest, container, environment, database, holder, created, expires, is_revoked"),
        ("asset", "database, id, digest, bytes, uses, touched"), ("asset_use", "database, zone, record, asset"),
    ]

    private static func connect(_ schema: String) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: schema))
        _ = try connection.run("SELECT set_config('search_path', $1, false)", [.text(schema)])
        return connection
    }

    /// Makes tables by the first steps only, with the rows of `fixture`.
    private static func makeTables(of version: Int, like fixture: StorageFixture) throws -> PostgreSQLTarget {
        let (old, new) = ("old\(version)_\(fixture.schema)", fixture.schema)
        let connection = try connect(old)
        _ = try connection.run("CREATE SCHEMA \(old)")
        for step in PostgreSQLSchema.steps.prefix(version) {
            for statement in step.split(separator: ";") { _ = try connection.run(statement.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
        _ = try connection.run("INSERT INTO service SELECT one, \(version), epoch, asset_key FROM \(new).service")
        _ = try connection.run(
            """
            INSERT INTO database(id, container, environment, "user", record_name, nonce, sequence, head_nonce, bytes) OVERRIDING SYSTEM VALUE
            SELECT id, container, environment, "user", record_name, nonce, sequence, head_nonce, bytes
            FROM \(new).database JOIN \(new).head ON head.database = database.id
            """)
        for (table, columns) in columns {
            _ = try connection.run("INSERT INTO \(table)(\(columns)) OVERRIDING SYSTEM VALUE SELECT \(columns) FROM \(new).\(table)")
        }
        if version >= 5 { _ = try connection.run("UPDATE zone SET former = new.former FROM \(new).zone new WHERE new.database = zone.database AND new.id = zone.id") }
        for table in ["database", "token"] {
            _ = try connection.run("SELECT setval(pg_get_serial_sequence('\(table)', 'id'), (SELECT max(id) FROM \(table)))")
        }
        return try PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: old)
    }

    /// What a service has of everything: records that refer to each other and to a file, a tombstone, an operation, zones that came and went.
    private static func fill(_ fixture: StorageFixture) async throws {
        let storage = fixture.storage
        try await storage.addToken(
            NewToken(.user(name: "ann", holder: "phone"), digest: digest, container: StorageFixture.path.container, environment: StorageFixture.path.environment))
        let asset = StoredAsset(id: AssetID(random: { 1 }), digest: Data(count: 32), byteCount: 10)
        try await storage.addAsset(asset, quota: .max, in: fixture.database)
        var value = Asset(fileChecksum: asset.fileChecksum, size: 10)
        value.receipt = asset.id.description
        let child = ["f": Field(.asset(value)), "p": Field(.reference(Reference(recordName: "a", action: .deleteSelf)))]
        try await fixture.done([create("a"), RecordOperation(.create, note("b", child)), create("gone")], id: operation)
        try await fixture.done([RecordOperation(.forceUpdate, note("a", ["n": Field(.int64(2))]))])
        try await fixture.done([RecordOperation(.forceDelete, Record("gone"))])
        for kind in [ZoneOperation.Kind.create, .delete, .create] { _ = try await storage.modifyZones([ZoneOperation(kind, ZoneID("Other"))], in: fixture.database) }
    }

    private static let operation = OperationID(holder: "h", id: "op", digest: Data([1]))

    /// What clients see of a database, with every version and token.
    private static func view(_ storage: any RecordStorage, _ database: DatabaseID, _ zone: ZoneID) async throws -> [String] {
        let page = try await storage.zoneChanges(FeedQuery(zone: zone, limit: 100), in: database)
        let news = try await storage.databaseChanges(since: nil, limit: 100, in: database)
        let records = page.records.map { "\($0.head.recordName) \($0.head.changeTag ?? "") \($0.head.isDeleted) \(String(decoding: $0.fieldsJSON, as: UTF8.self))" }
        let zones = (try await storage.zones(in: database) + news.zones).map { "\($0.zoneID) \($0.syncToken ?? "") \($0.isDeleted)" }
        return records + zones + [page.token.text, news.token.text, "\(try await storage.epoch)"]
    }

    @Test(arguments: 1..<PostgreSQLSchema.steps.count)
    func `tables of an earlier version keep their rows, sequences, nonces and operations, and look like new ones afterwards`(version: Int) async throws {
        let fixture = try await StorageFixture(.postgresql)
        try await Self.fill(fixture)
        let (zone, database, clock) = (fixture.zone, fixture.database, fixture.clock)
        let view = try await Self.view(fixture.storage, database, zone)
        let token = try await fixture.page().token
        let target = try Self.makeTables(of: version, like: fixture)
        let storage = try PostgreSQLRecordStorage.open(
            target, creates: false, connections: .few, environment: StorageEnvironment(now: { clock.now }, random: { UInt64.random(in: .min ... .max) }))
        #expect(try await Self.view(storage, database, zone) == view)
        #expect(try await storage.caller(digest: Self.digest, for: StorageFixture.path)?.database == database)
        #expect(try await storage.faults(in: database) == [])
        #expect(try await storage.files(in: database, after: nil, limit: 9).map(\.isUsed) == [true])
        // What a device holds from before is good, an operation that comes again has had its effect, and the next write is the next in order.
        #expect(try await storage.zoneChanges(FeedQuery(zone: zone, token: token, limit: 100), in: database).records.isEmpty)
        let again = [create("a"), create("b"), create("gone")]
        guard case .replay = try await Self.modify(storage, again, fixture, id: Self.operation) else {
            Issue.record("the operation was done again")
            return
        }
        _ = try await Self.modify(storage, [create("after")], fixture, id: nil)
        let news = try await storage.zoneChanges(FeedQuery(zone: zone, token: token, limit: 100), in: database)
        #expect(news.records.map(\.head.recordName) == ["after"] && news.token.sequence == token.sequence + 1)
        let other = try await StorageFixture.addUser("bob", to: storage)
        #expect(other.rawValue > database.rawValue)
        for each in [database, other] { #expect(try await storage.faults(in: each) == []) }
        await storage.close()
        #expect(try Self.shape(target.schema) == Self.shape(fixture.schema))
    }

    @Test func `a step may take longer than a statement of a request`() async throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let database = try cluster.makeDatabase()
        try cluster.run(
            "psql", [], database: database,
            input: """
                CREATE FUNCTION look() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF current_setting('statement_timeout') <> '0' THEN RAISE EXCEPTION 'ended after %', current_setting('statement_timeout'); END IF;
                END $$;
                CREATE EVENT TRIGGER look ON ddl_command_start EXECUTE FUNCTION look();
                """)
        let storage = try PostgreSQLRecordStorage.open(PostgreSQLTarget(cluster.target(database)), creates: true, connections: .few)
        #expect(try await storage.statistics().databases == 0)
        await storage.close()
    }

    private static func modify(
        _ storage: PostgreSQLRecordStorage, _ operations: [RecordOperation], _ fixture: StorageFixture, id: OperationID?
    ) async throws -> ModifyOutcome {
        let elements = try operations.map { PreparedElement.operation(try PreparedOperation($0)) }
        return try await storage.modify(ModifyCommand(database: fixture.database, zone: fixture.zone, isAtomic: true, elements: elements, operation: id))
    }

    /// Columns, indices and constraints, in no order of their making.
    private static func shape(_ schema: String) throws -> Set<String> {
        let connection = try connect(schema)
        let result = try connection.run(
            """
            SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_identity || ' ' || coalesce(column_default, '')
                || ' ' || coalesce(collation_name, '') FROM information_schema.columns WHERE table_schema = current_schema()
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
            UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
            UNION ALL SELECT relname || ' ' || reloptions::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND reloptions IS NOT NULL
            UNION ALL SELECT 'version ' || version FROM service
            """)
        return Set((0..<result.rowCount).map { result.text($0, 0).replacing("\(schema).", with: "") })
    }
}
