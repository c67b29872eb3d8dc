import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import Testing

/// One session against a real server.
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLConnectionTests {
    private func connect() throws -> PostgreSQLConnection {
        try PostgreSQLConnection(PostgreSQLTarget(PostgreSQLCluster.shared.get().target()))
    }

    @Test func `every value comes back bit for bit`() throws {
        let connection = try connect()
        for integer in [0, 1, -1, 255, -256, Int64.min, .max] {
            #expect(try connection.run("SELECT $1", [.integer(integer)]).integer(0, 0) == integer)
        }
        for text in ["", "a", "e\u{301} 🦆 ' \\ \" $1 ?", String(repeating: "x", count: 100_000)] {
            #expect(try connection.run("SELECT $1", [.text(text)]).text(0, 0) == text)
        }
        for bytes in [Data(), Data([0]), Data((0...255).map { UInt8($0) })] {
            let result = try connection.run("SELECT $1", [.bytes(bytes)])
            #expect(result.data(0, 0) == bytes && !result.isNull(0, 0))
        }
        #expect(try connection.run("SELECT $1::bigint", [.null]).isNull(0, 0))
        #expect(try connection.run("SELECT (-2)::smallint, 70000::integer, true").integer(0, 0) == -2)
        let found = try connection.run("SELECT n FROM generate_series(1, 10) n WHERE n = ANY($1) ORDER BY n", [.integers([3, 7, 99])])
        #expect((0..<found.rowCount).map { found.integer($0, 0) } == [3, 7])
        #expect(try connection.run("SELECT 1 WHERE 1 = ANY($1)", [.integers([])]).rowCount == 0)
    }

    @Test func `a NUL in a text is refused before anything is sent`() throws {
        let connection = try connect()
        #expect(throws: PostgreSQLError.textWithNUL) { try connection.run("SELECT $1", [.text("a\0b")]) }
        #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
    }

    @Test func `a pipeline is one way there and back, in order, however much it carries`() throws {
        let connection = try connect()
        try connection.enqueue("CREATE TEMPORARY TABLE pile(n bigint, filler bytea)")
        // More than both sides' buffers hold, in both directions: neither may wait for the other.
        let filler = Data(repeating: 7, count: 2_000)
        for number in 0..<3_000 { try connection.enqueue("INSERT INTO pile VALUES ($1, $2) RETURNING n, filler", [.integer(Int64(number)), .bytes(filler)]) }
        let before = connection.exchangeCount
        let results = try connection.flush()
        #expect(connection.exchangeCount == before + 1 && results.count == 3_001)
        #expect(results.dropFirst().enumerated().allSatisfy { $1.integer(0, 0) == Int64($0) && $1.changedCount == 1 })
        #expect(try connection.run("SELECT count(*) FROM pile").integer(0, 0) == 3_000)
    }

    @Test func `a refused statement takes the rest of its pipeline along, and the session goes on`() throws {
        let connection = try connect()
        _ = try connection.run("CREATE TEMPORARY TABLE once(n bigint CONSTRAINT only_once PRIMARY KEY)")
        try connection.enqueue("BEGIN")
        try connection.enqueue("INSERT INTO once VALUES ($1)", [.integer(42)])
        try connection.enqueue("INSERT INTO once VALUES ($1)", [.integer(42)])
        try connection.enqueue("COMMIT")
        do {
            try connection.flush()
            Issue.record("accepted")
        } catch {
            guard case .refused(let code, _, let constraint, _) = error else { throw error }
            #expect(code == "23505" && constraint == "only_once" && !error.description.contains("42"))
            #expect(!error.isConflict && !error.isLost && !error.isOverload)
        }
        _ = try connection.run("ROLLBACK")
        #expect(try connection.run("SELECT count(*) FROM once").integer(0, 0) == 0)
        // A statement that was not prepared because of an error before it is prepared now.
        #expect(throws: PostgreSQLError.self) { try connection.run([("SELECT 1/0", []), ("SELECT 77", [])]) }
        #expect(try connection.run("SELECT 77").integer(0, 0) == 77)
    }

    @Test func `who loses against another transaction is told so`() throws {
        let (first, second) = (try connect(), try connect())
        let table = "conflict_\(UInt32.random(in: .min ... .max))"
        _ = try first.run("CREATE TABLE \(table)(n bigint)")
        _ = try first.run("INSERT INTO \(table) VALUES (1)")
        for connection in [first, second] {
            _ = try connection.run("BEGIN ISOLATION LEVEL SERIALIZABLE")
            _ = try connection.run("SELECT sum(n) FROM \(table)")
        }
        _ = try first.run("UPDATE \(table) SET n = n + 1")
        _ = try first.run("COMMIT")
        do {
            _ = try second.run("UPDATE \(table) SET n = n + 1")
            Issue.record("no conflict")
        } catch {
            #expect(error.isConflict)
        }
        _ = try first.run("DROP TABLE \(table)")
    }

    @Test func `a session that the server ends is lost, and says so from then on`() throws {
        let (connection, other) = (try connect(), try connect())
        let process = Int64(connection.processID)
        _ = try other.run("SELECT pg_terminate_backend($1::int)", [.integer(process)])
        for _ in 0..<2 {
            do {
                _ = try connection.run("SELECT 1")
                Issue.record("it lives")
            } catch {
                #expect(error.isLost)
            }
        }
        #expect(connection.isLost)
    }

    @Test func `an unreachable server is a reason and no secret`() throws {
        let target = try PostgreSQLTarget("postgresql:///nowhere?host=/tmp/no-such-folder&user=ann")
        do {
            _ = try PostgreSQLConnection(target)
            Issue.record("connected")
        } catch {
            #expect(error.isLost && error.description.contains("no-such-folder"))
        }
    }

    @Test func `a password comes from a file and from nowhere else`() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let secret = "s3cret-\(UInt64.random(in: .min ... .max))"
        try cluster.run("psql", [], input: "DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD '\(secret)';")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("passfile-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("*:*:*:locked:\(secret)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let text = cluster.target(user: "locked")
        #expect(throws: PostgreSQLError.self) { try PostgreSQLConnection(PostgreSQLTarget(text)) }
        let connection = try PostgreSQLConnection(PostgreSQLTarget(text + "&passfile=\(file.path)"))
        #expect(try connection.run("SELECT current_user::text").text(0, 0) == "locked")
        for given in [text + "&password=\(secret)", "postgresql://locked:\(secret)@localhost/db", "host=/tmp password=\(secret)"] {
            do {
                _ = try PostgreSQLTarget(given)
                Issue.record("accepted")
            } catch {
                #expect(error.description.contains("passfile") && !error.description.contains(secret))
            }
        }
        for given in ["postgresql://localhost/db?nonsense=\(secret)", "host='\(secret)"] {
            do {
                _ = try PostgreSQLTarget(given)
                Issue.record("accepted")
            } catch {
                #expect(!error.description.contains(secret))
            }
        }
    }

    @Test func `what is queued can be taken back until it is sent`() throws {
        let connection = try connect()
        _ = try connection.run("CREATE TEMPORARY TABLE kept(n bigint)")
        for number in 1...4 { try connection.enqueue("INSERT INTO kept VALUES ($1)", [.integer(Int64(number))]) }
        connection.truncateQueue(to: 3)
        connection.removeQueued(at: 1)
        try connection.flush()
        let rows = try connection.run("SELECT n FROM kept ORDER BY n")
        #expect((0..<rows.rowCount).map { rows.integer($0, 0) } == [1, 3])
    }

    @Test func `a notification reaches who listens`() throws {
        let (listener, speaker) = (try connect(), try connect())
        _ = try listener.run("LISTEN sluice_test")
        _ = try speaker.run("SELECT pg_notify('sluice_test', $1)", [.text("1,2")])
        var heard: [String] = []
        while heard.isEmpty {
            _ = try listener.run("SELECT 1")
            heard += try listener.takeNotifications()
        }
        #expect(heard == ["1,2"])
    }
}
