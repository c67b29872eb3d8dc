import Foundation
package import SluiceSchema
package import SluiceSQLite

// Cells on their way into a row: a large value of an external attribute becomes a reference, everything else stays what it is.
extension Store {
    /// Where this store's external values lie; nil for a store in memory, whose values all lie in their columns.
    package var externalValues: ExternalValues? { externalWriter?.values }

    /// The cells as the table holds them. Large values are on disk when this returns.
    func placed(_ cells: [Cell], table: Int) throws -> [Cell] {
        try replacingLargeValues(cells, table: table) { value, writer in try writer.write(value) }
    }

    /// The same for cells that are only compared with what is there: nothing is written.
    func compared(_ cells: [Cell], table: Int) throws -> [Cell] {
        try replacingLargeValues(cells, table: table) { value, _ in ExternalValueWriter.reference(to: value) }
    }

    private func replacingLargeValues(
        _ cells: [Cell], table: Int, _ reference: (Data, ExternalValueWriter) throws -> ExternalReference
    ) throws -> [Cell] {
        guard cells.contains(where: { Self.isLarge($0.value) }), let writer = externalWriter else { return cells }
        let columns = layout.tables[table].columns
        return try cells.map { cell in
            guard columns[cell.column].isExternal, Self.isLarge(cell.value), case .blob(let value) = cell.value else { return cell }
            return Cell(column: cell.column, value: .text(try reference(value, writer).text))
        }
    }

    private static func isLarge(_ value: SQLiteValue) -> Bool {
        if case .blob(let bytes) = value { bytes.count > ExternalReference.inlineByteCountMax } else { false }
    }

    /// The value of a cell that was read from a column of `attribute`.
    /// - Throws: `ExternalValueFault`.
    package func property(_ value: SQLiteValue, of attribute: Attribute) throws(ExternalValueFault) -> PropertyValue {
        try PropertyValue(stored: value, as: attribute.type, external: externalValues)
    }
}
