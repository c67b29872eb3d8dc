// What the statements over a service's tables need of an engine. The statements themselves stand once, in this folder, in the SQL that SQLite
// and PostgreSQL have in common; what they decide is the same code for both. `?` stands for a value, in both.
//
// A statement that is not about one database says so in a comment at its head, `/* global: the reason */`: it shows in the server's list of
// activity, and a test goes through all others and wants their database.

package import Foundation
package import SluiceSQLite

/// A connection to the tables of a service. Used on one queue, inside a transaction.
package protocol TableConnection: AnyObject {
    /// Whether a row of `record` has a number, which finds it faster than its name.
    var hasRowNumbers: Bool { get }
    /// Whether a read waits for somebody on the other side, so that it is worth asking for several things at once.
    var readsAhead: Bool { get }

    /// Runs a statement of whose outcome nothing is asked. It may be sent later; what is wrong with it shows at the latest when the transaction
    /// commits, and fails all of it.
    func write(_ sql: String, _ values: [SQLiteValue]) throws
    /// Runs a statement now.
    /// - Returns: how many rows it changed.
    func run(_ sql: String, _ values: [SQLiteValue]) throws -> Int
    /// Calls `body` for each row of a small result. The row is valid until `body` returns.
    func forEachRow(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Void) throws
    /// The same for a large one: rows stream by for as long as `body` returns true, and other statements may run between them.
    func scan(_ sql: String, _ values: [SQLiteValue], _ body: (any TableRow) throws -> Bool) throws
    /// Runs `body`; where it throws, the rows are as they were before.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result

    /// Asks for several small results at once. Each is what the first `forEachRow` for the same query gets.
    func readAhead(_ queries: [TableQuery]) throws
    /// Drops what `readAhead` brought for a query: its rows are written now.
    func forget(_ query: TableQuery)
}

/// A statement that reads, with its values.
package struct TableQuery: Hashable, Sendable {
    package var sql: String
    package var values: [SQLiteValue]

    package init(_ sql: String, _ values: [SQLiteValue]) {
        self.sql = sql
        self.values = values
    }
}

/// One row of a result. Columns count from 0.
package protocol TableRow {
    func isNull(_ column: Int32) -> Bool
    /// 0 for NULL.
    func integer(_ column: Int32) -> Int64
    /// Empty for NULL.
    func text(_ column: Int32) -> String
    /// Empty for NULL.
    func data(_ column: Int32) -> Data
}

extension TableRow {
    /// The bits of a nonce.
    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }
}

extension TableConnection {
    /// Every row of a small result, turned into a value by `body`.
    func rows<Element>(_ sql: String, _ values: [SQLiteValue] = [], _ body: (any TableRow) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        try forEachRow(sql, values) { elements.append(try body($0)) }
        return elements
    }

    /// The only row, turned into a value by `body`; nil where there is none.
    func firstRow<Element>(_ sql: String, _ values: [SQLiteValue] = [], _ body: (any TableRow) throws -> Element) throws -> Element? {
        var element: Element?
        try forEachRow(sql, values) { row in if element == nil { element = try body(row) } }
        return element
    }

    func firstRow<Element>(_ query: TableQuery, _ body: (any TableRow) throws -> Element) throws -> Element? {
        try firstRow(query.sql, query.values, body)
    }

    /// The first column of the only row as a number; 0 where there is no row or it is NULL.
    func integer(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int64 {
        try firstRow(sql, values) { $0.integer(0) } ?? 0
    }
}

extension SQLiteValue {
    /// The bits of a nonce.
    init(bits: UInt64) { self = .integer(Int64(bitPattern: bits)) }
}
