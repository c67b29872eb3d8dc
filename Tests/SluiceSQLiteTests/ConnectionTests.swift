import Foundation
import Testing

@testable import SluiceSQLite

@Suite struct ConnectionTests {
    @Test func `a value of each kind comes back bit for bit`() throws {
        let connection = try Connection(path: "", mode: .memory)
        try connection.execute("CREATE TABLE t(v)")
        let values: [SQLiteValue] = [
            .null, .integer(.min), .integer(.max), .real(-0.0), .real(.infinity), .real(.leastNonzeroMagnitude), .text("a\0b"), .text("e\u{301}"),
            .text(""), .blob(Data()), .blob(Data([0, 255])),
        ]
        for value in values { try connection.run("INSERT INTO t VALUES (?)", [value]) }
        let read = try connection.rows("SELECT v FROM t ORDER BY rowid") { $0.value(0) }
        #expect(read.map { "\($0)" } == values.map { "\($0)" })
    }

    @Test func `a row passes from one connection to another bit for bit, and not where the numbers of columns differ`() throws {
        let (source, target) = (try Connection(path: "", mode: .memory), try Connection(path: "", mode: .memory))
        for connection in [source, target] { try connection.execute("CREATE TABLE t(a, b, c, d, e)") }
        let values: [SQLiteValue] = [.null, .integer(.min), .real(-0.0), .text("a\0b\u{301}"), .blob(Data([0, 255]))]
        try source.run("INSERT INTO t VALUES (?, ?, ?, ?, ?)", values)
        try source.forEachRow("SELECT * FROM t") { try target.run("INSERT INTO t VALUES (?, ?, ?, ?, ?)", columnsOf: $0) }
        let read = try target.rows("SELECT * FROM t") { $0.values() }
        #expect(read.map { "\($0)" } == ["\(values)"])
        let error = #expect(throws: SQLiteError.self) {
            try source.forEachRow("SELECT a FROM t") { try target.run("INSERT INTO t(a, b) VALUES (?, ?)", columnsOf: $0) }
        }
        #expect(error?.code == .misuse)
    }

    @Test func `one statement for many elements keeps nothing of one for the next`() throws {
        let connection = try Connection(path: "", mode: .memory)
        try connection.execute("CREATE TABLE t(a, b)")
        try connection.run("INSERT INTO t VALUES (?, ?)", forEach: [(1, "one"), (2, nil)]) { statement, element in
            try statement.bind(Int64(element.0), at: 1)
            if let text = element.1 { try statement.bind(text, at: 2) }
        }
        let read = try connection.rows("SELECT a, b FROM t ORDER BY a") { $0.values() }
        #expect(read.map { "\($0)" } == ["\([SQLiteValue.integer(1), .text("one")])", "\([SQLiteValue.integer(2), .null])"])
    }

    @Test func `an error names the statement, the extended code and the file, and no value`() throws {
        let connection = try Connection(path: "", mode: .memory)
        try connection.execute("CREATE TABLE t(v UNIQUE)")
        try connection.run("INSERT INTO t VALUES (?)", ["secret"])
        let error = try #require(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (?)", ["secret"]) }
        #expect(error.code == .constraintUnique)
        #expect(.constraint ~= error.code)
        #expect(error.statement == "INSERT INTO t VALUES (?)")
        #expect(!"\(error)".contains("secret"))
    }

    @Test func `a transaction that throws leaves nothing, and a savepoint inside only undoes itself`() throws {
        struct Stop: Error {}
        let connection = try Connection(path: "", mode: .memory)
        try connection.execute("CREATE TABLE t(v)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        try connection.transaction {
            try connection.run("INSERT INTO t VALUES (2)")
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try connection.run("INSERT INTO t VALUES (3)")
                    throw Stop()
                }
            }
        }
        #expect(try connection.rows("SELECT v FROM t") { $0.integer(0) } == [2])
    }

    @Test func `the wrong number of values is an error, not a silent NULL`() throws {
        let connection = try Connection(path: "", mode: .memory)
        #expect(throws: SQLiteError.self) { try connection.run("SELECT ?, ?", [1]) }
    }

    @Test func `a statement may run again inside its own row loop`() throws {
        let connection = try Connection(path: "", mode: .memory)
        let sql = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n"
        var pairs = 0
        try connection.forEachRow(sql) { _ in try connection.forEachRow(sql) { _ in pairs += 1 } }
        #expect(pairs == 9)
    }
}

/// Values that a statement keeps until it is reset, and those that are too long for that.
@Suite struct BoundValueTests {
    @Test func `many values of many lengths are all bound as they are`() throws {
        let connection = try Connection(path: "", mode: .memory)
        let lengths = [0, 1, 100, 1_023, 1_024, 1_025, 40, 5_000, 300, 700, 3]
        try connection.execute("CREATE TABLE t(\(lengths.indices.map { "t\($0), b\($0)" }.joined(separator: ", ")))")
        let insert = try connection.prepare("INSERT INTO t VALUES (\(SQLText.placeholders(lengths.count * 2)))")
        for round in 0..<3 {
            for (place, length) in lengths.enumerated() {
                try insert.bind(String(repeating: "\(round)", count: length), at: Int32(place * 2 + 1))
                try insert.bind(Data(repeating: UInt8(round), count: length), at: Int32(place * 2 + 2))
            }
            _ = try insert.step()
            insert.reset()
        }
        let rows = try connection.rows("SELECT * FROM t ORDER BY rowid") { $0.values() }
        for (round, row) in rows.enumerated() {
            for (place, length) in lengths.enumerated() {
                #expect(row[place * 2].text == String(repeating: "\(round)", count: length))
                #expect(row[place * 2 + 1].blob == Data(repeating: UInt8(round), count: length))
            }
        }
        #expect(rows.count == 3)
    }

    @Test func `a placeholder that nobody bound again is NULL after a reset`() throws {
        let connection = try Connection(path: "", mode: .memory)
        let select = try connection.prepare("SELECT ?1, ?2")
        try select.bind("secret", at: 1)
        #expect(try select.step())
        select.reset()
        try select.bind("other", at: 2)
        #expect(try select.step())
        #expect(select.isNull(0) && select.text(1) == "other")
    }
}
