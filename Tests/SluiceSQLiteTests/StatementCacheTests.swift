import Testing

@testable import SluiceSQLite

/// Statements that are alike to a hash, or under way already.
@Suite struct StatementCacheTests {
    @Test func `texts that differ in a byte are different statements, whatever a hash looks at`() throws {
        let connection = try Connection(path: "", mode: .memory)
        // Long enough for most of it to be between the places that are looked at.
        let padding = String(repeating: " ", count: 400)
        for _ in 0..<2 {
            for number in 1...9 { #expect(try connection.integer("SELECT \(padding)\(number)\(padding)") == Int64(number)) }
        }
        // Equal for Swift, two texts for SQLite.
        #expect(try connection.value("SELECT 'é'")?.text?.utf8.count == 2)
        #expect(try connection.value("SELECT 'e\u{301}'")?.text?.utf8.count == 3)
        // And two that have as many bytes.
        for text in ["a\u{301}\u{327}", "a\u{327}\u{301}"] {
            #expect(try connection.value("SELECT '\(text)'")?.text.map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func `a statement that is under way can be begun once more, inside its own rows`() throws {
        let connection = try Connection(path: "", mode: .memory)
        try connection.execute("CREATE TABLE t(n); INSERT INTO t VALUES (1), (2), (3)")
        let sql = "SELECT n FROM t ORDER BY n"
        var seen: [[Int64]] = []
        try connection.forEachRow(sql) { outer in
            seen.append([outer.integer(0)] + (try connection.rows(sql) { $0.integer(0) }))
        }
        #expect(seen == [[1, 1, 2, 3], [2, 1, 2, 3], [3, 1, 2, 3]])
        #expect(try connection.rows(sql) { $0.integer(0) } == [1, 2, 3])
    }

    @Test func `values that do not fit leave the statement as good as before`() throws {
        let connection = try Connection(path: "", mode: .memory)
        #expect(throws: SQLiteError.self) { try connection.run("SELECT ?", []) }
        #expect(throws: SQLiteError.self) { try connection.run("SELECT ?", [.integer(1), .integer(2)]) }
        #expect(try connection.integer("SELECT ?", [.integer(7)]) == 7)
    }
}
