import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import SluiceRecords
import Synchronization
import Testing

@testable import SluiceRecordService

/// What is a server's own: other processes, lost connections, failing commits, versions.
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLStorageTests {
    private func connect(_ fixture: StorageFixture) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: fixture.schema))
        _ = try connection.run("SELECT set_config('search_path', $1, false)", [.text(fixture.schema)])
        return connection
    }

    @Test func `tables of a later version are refused and left as they are`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try connect(fixture)
        _ = try connection.run("UPDATE service SET version = version + 1")
        let error = await #expect(throws: StorageError.self) { try await fixture.reopen() }
        #expect("\(String(describing: error))".contains("use the release that wrote them"))
        #expect(try connection.run("SELECT version FROM service").integer(0, 0) == PostgreSQLSchema.version + 1)
        #expect(try connection.run("SELECT count(*) FROM zone").integer(0, 0) == 2)
    }

    @Test func `a process under which the tables were upgraded says so as soon as it needs a new connection`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try connect(fixture)
        _ = try connection.run("UPDATE service SET version = version + 1")
        _ = try connection.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [.text(fixture.schema)])
        for operation in [{ _ = try await fixture.done([create("r")]) }, { _ = try await fixture.feed() }] as [() async throws -> Void] {
            let error = await #expect(throws: StorageError.self) { try await operation() }
            #expect("\(String(describing: error))".contains("use the release that wrote them"))
        }
        _ = try connection.run("UPDATE service SET version = version - 1")
        try await fixture.done([create("r")])
        #expect(try await fixture.feed().names == ["r"])
    }

    @Test func `many processes that start at once make the tables once, with one epoch`() async throws {
        let target = try PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: "test_\(UInt64.random(in: .min ... .max))")
        let epochs = try await withThrowingTaskGroup(of: Epoch.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let storage = try PostgreSQLRecordStorage.open(target, creates: true, connections: .few)
                    let epoch = try await storage.epoch
                    await storage.close()
                    return epoch
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(epochs.count == 1)
    }

    @Test func `without its tables a service is missing, not made, unless it is to be`() throws {
        let target = try PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: "test_\(UInt64.random(in: .min ... .max))")
        #expect(try !PostgreSQLRecordStorage.exists(target))
        #expect(throws: StorageError.self) { try PostgreSQLRecordStorage.open(target, creates: false) }
        #expect(try !PostgreSQLRecordStorage.exists(target))
    }

    @Test func `a new epoch is known to every process at once, and no token from before is good`() async throws {
        let fixture = try await StorageFixture(.postgresqlPair)
        try await fixture.done([create("r")])
        let token = try await fixture.feed().token
        guard let storage = fixture.storage as? PostgreSQLRecordStorage else { return }
        try await storage.beginEpoch()
        for _ in 0..<2 {
            let error = await #expect(throws: StorageError.self) { try await fixture.page(token) }
            if case .tokenOfAnotherTimeline? = error { continue }
            Issue.record("\(String(describing: error))")
        }
        #expect(try await fixture.feed().names == ["r"])
    }

    @Test func `connections that the server ended are made again, and no write is lost or doubled`() async throws {
        let fixture = try await StorageFixture(.postgresqlPair)
        let connection = try connect(fixture)
        for round in 0..<6 {
            try await fixture.done([create("r\(round)")])
            #expect(try await fixture.feed().names.count == round + 1)
            // The fixture's sessions carry its schema's name; all of them rest now.
            _ = try connection.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [.text(fixture.schema)])
        }
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
    }

    @Test func `a commit that fails, fails everybody in it and leaves nothing of any, ledger included`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try connect(fixture)
        for statement in [
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF (SELECT count(*) FROM record WHERE name = 'poison') > 0 THEN RAISE EXCEPTION 'not this one'; END IF; RETURN NULL;
            END $$
            """,
            "CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()",
        ] { _ = try connection.run(statement) }
        try await fixture.done([create("before")])
        let id = OperationID(holder: "h", id: "op", digest: Data([1]))
        await #expect(throws: StorageError.self) { try await fixture.modify([create("poison"), create("beside")], id: id) }
        #expect(try await fixture.feed().names == ["before"])
        #expect(try connection.run("SELECT count(*) FROM ledger").integer(0, 0) == 0)
        _ = try connection.run("DROP TRIGGER refuse ON record")
        #expect(try await fixture.done([create("poison"), create("beside")], id: id).map { $0.error?.code } == [nil, nil])
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
    }

    @Test func `one request whose statement is refused does not take its neighbours along`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        _ = try connect(fixture).run("ALTER TABLE record ADD CONSTRAINT no_poison CHECK (name <> 'poison')")
        let failures = try await withThrowingTaskGroup(of: [String].self) { group in
            for number in 0..<40 {
                group.addTask {
                    let name = number == 20 ? "poison" : "r\(number)"
                    do {
                        try await fixture.done([create(name)])
                        return []
                    } catch { return [name] }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(failures == ["poison"])
        let names = try await fixture.feed().names
        #expect(names.count == 39 && Set(names).count == 39)
    }

    @Test func `a database that somebody holds delays its own writers only`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        // Both with the same writer.
        var other = try await StorageFixture.addUser("bob", to: fixture.storage)
        while other.rawValue % 2 != fixture.database.rawValue % 2 { other = try await StorageFixture.addUser("user\(other.rawValue)", to: fixture.storage) }
        let connection = try connect(fixture)
        _ = try connection.run("BEGIN")
        _ = try connection.run("SELECT database FROM head WHERE database = $1 FOR UPDATE", [.integer(fixture.database.rawValue)])
        let blocked = Task { try await fixture.done([create("late")]) }
        let free = Task { [other] in try await fixture.storage.modifyZones([ZoneOperation(.create, fixture.zone)], in: other) }
        // By the time limit of locks at the latest.
        guard case .zone = try await free.value[0] else { throw StorageError.unavailable("no zone") }
        _ = try connection.run("COMMIT")
        _ = await blocked.result
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
    }

    @Test func `a commit in one process wakes who waits in another, by the word of it`() async throws {
        let fixture = try await StorageFixture(.postgresqlPair)
        let (here, there) = (fixture.storage, fixture.storage)
        for round in 0..<3 {
            // Nobody has read the feed, so nobody looks whether it has moved: only the word can come.
            let watch = there.watch(fixture.database)
            let elements = [PreparedElement.operation(try PreparedOperation(create("r\(round)")))]
            _ = try await here.modify(ModifyCommand(database: fixture.database, zone: fixture.zone, isAtomic: true, elements: elements))
            let start = ContinuousClock.now
            await watch.wait(.seconds(60))
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }

    @Test func `a commit of which no word came wakes who waits nevertheless`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        let storage = fixture.storage
        let watch = storage.watch(fixture.database)
        _ = try await storage.databaseChanges(since: nil, limit: 10, in: fixture.database)
        // As a process does that dies between its commit and its word.
        _ = try connect(fixture).run("UPDATE head SET sequence = sequence + 1 WHERE database = $1", [.integer(fixture.database.rawValue)])
        let start = ContinuousClock.now
        await watch.wait(.seconds(60))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test(arguments: [
        ("record", "name = $3", "record_pkey"), ("record", "sequence > $3 ORDER BY sequence LIMIT 9", "record_database_zone_sequence_key"),
        ("record", "name > $3 ORDER BY name", "record_pkey"), ("reference", "source = $3", "reference_by_source"), ("reference", "target = $3", "reference_pkey"),
    ])
    func `a row is found by its whole key while the server has no statistics yet`(table: String, condition: String, index: String) async throws {
        let connection = try connect(try await StorageFixture(.postgresql))
        let type = condition.hasPrefix("sequence") ? "bigint" : "text"
        _ = try connection.run("PREPARE plan(bigint, bigint, \(type)) AS SELECT * FROM \(table) WHERE database = $1 AND zone = $2 AND \(condition)")
        // As for a statement that a session has used some times.
        _ = try connection.run("SELECT set_config('plan_cache_mode', 'force_generic_plan', false)")
        let plan = try connection.run("EXPLAIN EXECUTE plan(1, 1, '1')")
        #expect((0..<plan.rowCount).contains { plan.text($0, 0).contains("using \(index) ") }, "\((0..<plan.rowCount).map { plan.text($0, 0) })")
    }

    @Test func `names that PostgreSQL cannot keep are refused, not an error of the service`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        await #expect { try await fixture.storage.records(named: ["a\0b"], zone: fixture.zone, in: fixture.database) } throws: {
            guard case StorageError.queryRefused = $0 else { return false }
            return true
        }
        let pointing = note("x", ["to": Field(.reference(Reference(recordName: "a\0b", action: .deleteSelf)))])
        await #expect(throws: StorageError.self) { try await fixture.modify([RecordOperation(.create, pointing)]) }
        #expect(try await fixture.done([create("x")])[0].error == nil)
    }
}
