import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// A server that refuses a transaction because of others': it is done again as a whole, and has its effect once.
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLConflictTests {
    /// Where in a transaction the server says no.
    enum Place: String, CaseIterable, Sendable {
        case statement = "BEFORE INSERT ON record FOR EACH ROW"
        case commit = "AFTER INSERT ON record DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"

        var isConstraint: String { self == .commit ? "CONSTRAINT" : "" }
    }

    private func connect(_ fixture: StorageFixture) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: fixture.schema))
        _ = try connection.run("SELECT set_config('search_path', $1, false)", [.text(fixture.schema)])
        return connection
    }

    /// Lets the server refuse a number of insertions of `poison`, by a sequence, which no rollback sets back.
    private func refuse(_ count: Int, code: String, at place: Place, _ fixture: StorageFixture) throws -> PostgreSQLConnection {
        let connection = try connect(fixture)
        for statement in [
            "CREATE SEQUENCE refusals",
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.name = 'poison' AND nextval('refusals') <= \(count) THEN RAISE EXCEPTION 'of another transaction' USING ERRCODE = '\(code)'; END IF;
                RETURN NEW;
            END $$
            """,
            "CREATE \(place.isConstraint) TRIGGER refuse \(place.rawValue) EXECUTE FUNCTION refuse()",
        ] { _ = try connection.run(statement) }
        return connection
    }

    @Test(arguments: ["40001", "40P01"], Place.allCases)
    func `a transaction that lost against another is done again, and its neighbours with it, once`(code: String, place: Place) async throws {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try refuse(3, code: code, at: place, fixture)
        let id = OperationID(holder: "h", id: "op", digest: Data([1]))
        let results = try await withThrowingTaskGroup(of: [RecordResult].self) { group in
            group.addTask { try await fixture.done([create("poison"), create("beside")], id: id) }
            for number in 0..<20 { group.addTask { try await fixture.done([create("r\(number)")]) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(results.count == 22 && results.allSatisfy { $0.error == nil })
        let names = try await fixture.feed().names
        #expect(names.count == 22 && Set(names).count == 22)
        #expect(try connection.run("SELECT last_value FROM refusals").integer(0, 0) == 4)
        #expect(try connection.run("SELECT count(*) FROM ledger").integer(0, 0) == 1)
        guard case .replay = try await fixture.modify([create("poison"), create("beside")], id: id) else {
            Issue.record("the operation was done again")
            return
        }
        #expect(try await fixture.storage.faults(in: fixture.database) == [])
    }

    @Test(arguments: Place.allCases)
    func `one that never wins is refused in the end, leaves nothing, and can be sent again`(place: Place) async throws {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try refuse(1_000, code: "40001", at: place, fixture)
        let id = OperationID(holder: "h", id: "op", digest: Data([1]))
        await #expect(throws: StorageError.self) { try await fixture.modify([create("poison"), create("beside")], id: id) }
        #expect(try await fixture.feed().names == [])
        #expect(try connection.run("SELECT count(*) FROM ledger").integer(0, 0) == 0)
        _ = try connection.run("DROP TRIGGER refuse ON record")
        #expect(try await fixture.done([create("poison"), create("beside")], id: id).map { $0.error?.code } == [nil, nil])
        #expect(try await fixture.feed().names == ["poison", "beside"])
    }

    @Test func `a real deadlock with another session is over without an error and without a second effect`() async throws {
        let fixture = try await StorageFixture(.postgresql)
        let other = try connect(fixture)
        _ = try other.run("CREATE TABLE gate(one bigint PRIMARY KEY)")
        _ = try other.run("INSERT INTO gate VALUES (1)")
        // A writer that has its database's row next wants the gate, whose holder wants that row.
        _ = try other.run(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM gate FOR UPDATE; RETURN NEW; END $$
            """)
        _ = try other.run("CREATE TRIGGER wait BEFORE INSERT ON record FOR EACH ROW EXECUTE FUNCTION wait()")
        _ = try other.run("BEGIN")
        _ = try other.run("SELECT 1 FROM gate FOR UPDATE")
        let writing = Task { try await fixture.done([create("r")], id: OperationID(holder: "h", id: "op", digest: Data([1]))) }
        let observer = try connect(fixture)
        while try observer.run(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", [.text(fixture.schema)]
        ).integer(0, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        // The server ends the one whose patience is over first: mostly the writer, who has waited longer.
        do {
            _ = try other.run("SELECT database FROM head WHERE database = $1 FOR UPDATE", [.integer(fixture.database.rawValue)])
            _ = try other.run("COMMIT")
        } catch { _ = try other.run("ROLLBACK") }
        #expect(try await writing.value.map { $0.error?.code } == [nil])
        #expect(try await fixture.feed().names == ["r"])
        #expect(try observer.run("SELECT count(*) FROM ledger").integer(0, 0) == 1)
    }
}
