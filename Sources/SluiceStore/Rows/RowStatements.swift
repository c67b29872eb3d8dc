package import SluiceSQLite
package import SluiceSchema

/// One value for one column of a table.
package struct Cell {
    package let column: Int
    package let value: SQLiteValue

    package init(column: Int, value: SQLiteValue) {
        self.column = column
        self.value = value
    }
}

/// Inserts rows of one entity through one prepared statement.
package final class InsertStatement {
    /// Who binds values directly does so between `begin` and `finish`.
    package let statement: Statement
    private let entity: StoredEntity
    /// Placeholder of each column of the table, and of its NFC shadow; 0 where this entity has no such column.
    package let positions: [Int32]
    package let shadows: [Int32]
    private let discriminatorPosition: Int32

    init(_ entity: StoredEntity, in table: TableLayout, on connection: Connection) throws(SQLiteError) {
        var names = ["_pk", "_id"]
        discriminatorPosition = entity.discriminator == nil ? 0 : 3
        if entity.discriminator != nil { names.append("_entity") }
        var positions = [Int32](repeating: 0, count: table.columns.count)
        var shadows = positions
        for column in entity.columns {
            names.append(table.columns[column].sql)
            positions[column] = Int32(names.count)
            guard let shadow = table.columns[column].shadowName else { continue }
            names.append(SQLText.name(shadow))
            shadows[column] = Int32(names.count)
        }
        self.entity = entity
        self.positions = positions
        self.shadows = shadows
        statement = try connection.prepare(
            "INSERT INTO \(table.sql)(\(names.joined(separator: ", "))) VALUES (\(SQLText.placeholders(names.count)))")
    }

    func run(name: RecordName, cells: [Cell]) throws(SQLiteError) {
        defer { statement.reset() }
        try begin(name: name, key: nil)
        for cell in cells where positions[cell.column] > 0 {
            try statement.bind(cell.value, at: positions[cell.column])
            if shadows[cell.column] > 0, case .text(let text) = cell.value, let shadow = CanonicalText.shadow(of: text) {
                try statement.bind(shadow, at: shadows[cell.column])
            }
        }
        _ = try statement.step()
    }

    /// Binds what every row has. Without a key SQLite gives the row its next one.
    package func begin(name: RecordName, key: Int64?) throws(SQLiteError) {
        if let key { try statement.bind(key, at: 1) }
        try statement.bind(name, at: 2)
        if let discriminator = entity.discriminator { try statement.bind(discriminator, at: discriminatorPosition) }
    }

    /// Inserts the row and makes the statement ready for the next one.
    package func finish() throws(SQLiteError) {
        defer { statement.reset() }
        _ = try statement.step()
    }
}
