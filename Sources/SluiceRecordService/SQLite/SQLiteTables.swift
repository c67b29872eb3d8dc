package import SluiceSQLite

/// The tables in a file, or in memory. Nothing is far away here: every statement runs at once.
final class SQLiteTables: TableConnection {
    let connection: Connection
    let hasRowNumbers = true
    let readsAhead = false

    init(_ connection: Connection) { self.connection = connection }

    func write(_ sql: String, _ values: [SQLiteValue]) throws { try connection.run(sql, values) }
    func run(_ sql: String, _ values: [SQLiteValue]) throws -> Int { try connection.run(sql, values) }

    func forEachRow(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Void) throws {
        try connection.forEachRow(sql, values) { try body($0) }
    }

    func scan(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Bool) throws {
        try connection.withStatement(sql, values) { statement in
            while try statement.step() { guard try body(statement) else { return } }
        }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result { try connection.transaction(.immediate, body) }

    func readAhead(_ queries: [TableQuery]) throws {}
    func forget(_ query: TableQuery) {}
}

extension Statement: TableRow {}
