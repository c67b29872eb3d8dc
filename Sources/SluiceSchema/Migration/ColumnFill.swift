// Defaults that a column's declaration does not give the rows that are there: of a column that was optional, and of one whose default SQL
// cannot write.

import SluiceSQLite

/// Rows of a table that get the default of a column.
package struct ColumnFill: Hashable, Sendable {
    package let column: Int
    package let value: PropertyValue
    /// New names of the entities whose rows get it.
    package let entities: [String]
}

extension LayoutChange {
    /// The defaults to write into rows that a table takes over, where they have no value.
    package func fills(of change: TableChange) -> [ColumnFill] {
        guard let source = change.source else { return [] }
        return new.tables[change.table].columns.indices.compactMap { column in
            guard let attribute = new.tables[change.table].columns[column].attribute, let value = attribute.defaultValue, !value.isNull
            else {
                return nil
            }
            let owners = new.entities(in: change.table).filter { entity in
                entity.columns.contains(column) && change.entities.contains { $0.value == entity.name }
            }
            guard !owners.isEmpty else { return nil }
            let isNeeded =
                switch change.columns[column] {
                case .new: value.sqlLiteral == nil || hasShadow(value, attribute)
                case .kept(let position): !attribute.isOptional && old.tables[source].columns[position].attribute?.isOptional == true
                // Rows of an entity that had no such column get the default with the values of the others.
                case .byEntity(let columns):
                    !attribute.isOptional && columns.values.contains { old.tables[source].columns[$0].attribute?.isOptional == true }
                case .related, .place: false
                }
            return isNeeded ? ColumnFill(column: column, value: value, entities: owners.map(\.name)) : nil
        }
    }

    private func hasShadow(_ value: PropertyValue, _ attribute: Attribute) -> Bool {
        guard attribute.type == .string, case .string(let text) = value else { return false }
        return CanonicalText.shadow(of: text) != nil
    }
}

extension PropertyValue {
    /// The value as a literal in a column's declaration; nil for one that SQL cannot write exactly, which is then applied by us alone.
    package var sqlLiteral: String? {
        switch stored {
        case .null: nil
        case .integer(let number): "\(number)"
        case .real(let number): number.isFinite && number.sign == .plus ? "\(number)" : nil
        case .text(let text): text.contains("\0") ? nil : SQLText.literal(text)
        case .blob(let bytes): "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
        }
    }
}
