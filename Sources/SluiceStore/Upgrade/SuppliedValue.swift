// A default such as the present moment or a fresh identifier has another value each time it is worked out. It is no part of a schema, and a
// column cannot be declared with it: rows that lack a value get one each, as rows do that are made later.

package import SluiceSchema
import SluiceSQLite

/// The default of a required property, worked out anew for each row.
package struct SuppliedValue {
    /// The entity that declares the property.
    package let entity: String
    package let property: String
    let make: () throws -> PropertyValue

    package init(entity: String, property: String, make: @escaping () throws -> PropertyValue) {
        self.entity = entity
        self.property = property
        self.make = make
    }

    var name: String { "\(entity).\(property)" }
}

extension Store {
    /// Gives the value to every row that has none, in one write transaction.
    func supply(_ value: SuppliedValue) throws {
        guard let entity = layout.entities[value.entity], let place = entity.propertyNames.firstIndex(of: value.property) else { return }
        let column = entity.columns[place]
        let (members, names) = membership(of: entity)
        let condition = members.isEmpty ? " WHERE" : "\(members) AND"
        let table = layout.table(of: entity)
        let keys = try connection.rows("SELECT _pk FROM \(table.sql) AS t\(condition) t.\(table.columns[column].sql) IS NULL", names) {
            RowKey(table: entity.table, key: $0.integer(0))
        }
        try write {
            for key in keys {
                guard let own = try self.entity(of: key) else { continue }
                try updateRow(key, of: own, cells: [Cell(column: column, value: value.make().stored)])
            }
        }
    }
}
