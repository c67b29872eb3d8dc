package import SluiceSQLite
import SluiceSchema

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
final class InsertStatement {
    private let statement: Statement
    private let entity: StoredEntity
    /// Placeholder of each column of the table, and of its NFC shadow; 0 where this entity has no such column.
    private var positions: [Int32]
    private var shadows: [Int32]
    private let discriminatorPosition: Int32

    init(_ entity: StoredEntity, in table: TableLayout, on connection: Connection) throws(SQLiteError) {
        var names = ["_id"]
        discriminatorPosition = entity.discriminator == nil ? 0 : 2
        if entity.discriminator != nil { names.append("_entity") }
        positions = Array(repeating: 0, count: table.columns.count)
        shadows = positions
        for column in entity.columns {
            names.append(table.columns[column].sql)
            positions[column] = Int32(names.count)
            guard let shadow = table.columns[column].shadowName else { continue }
            names.append(SQLText.name(shadow))
            shadows[column] = Int32(names.count)
        }
        self.entity = entity
        statement = try connection.prepare(
            "INSERT INTO \(table.sql)(\(names.joined(separator: ", "))) VALUES (\(SQLText.placeholders(names.count)))")
    }

    func run(name: RecordName, cells: [Cell]) throws(SQLiteError) {
        defer { statement.reset() }
        try statement.bind(name.stored, at: 1)
        if let discriminator = entity.discriminator { try statement.bind(discriminator, at: discriminatorPosition) }
        for cell in cells where positions[cell.column] > 0 {
            try statement.bind(cell.value, at: positions[cell.column])
            if shadows[cell.column] > 0, case .text(let text) = cell.value, let shadow = CanonicalText.shadow(of: text) {
                try statement.bind(shadow, at: shadows[cell.column])
            }
        }
        _ = try statement.step()
    }
}
