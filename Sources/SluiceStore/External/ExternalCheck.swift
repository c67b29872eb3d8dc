package import SluiceSchema
import SluiceDigest
import SluiceSQLite

extension Store {
    /// External values of rows that cannot be read, with the property and record that each belongs to.
    /// - Parameters:
    ///   - checkingContents: also reads every file and compares it with its SHA-256; takes as long as reading all of them.
    ///   - limit: how many faults to name.
    package func externalFaults(checkingContents: Bool, limit: Int = 100) throws -> [ExternalValueFault] {
        var faults: [ExternalValueFault] = []
        // A value that several rows have is read once.
        var checked: [ExternalReference: ExternalValueFault?] = [:]
        for (index, table) in layout.tables.enumerated() {
            for column in table.columns where column.attribute?.type.isBytes == true && faults.count < limit {
                try forEachReference(in: column, table: index) { reference, entity, name in
                    guard faults.count < limit else { return }
                    let fault: ExternalValueFault?
                    if let known = checked[reference] { fault = known } else { fault = self.fault(of: reference, checkingContents) }
                    checked[reference] = .some(fault)
                    if let fault { faults.append(fault.of(column.attribute?.name ?? column.name, in: entity, record: name)) }
                }
            }
        }
        return faults
    }

    /// External values that the store needs and whose files are not there or not whole.
    package func lostExternalValues() throws -> [ExternalReference] {
        guard let values = externalWriter?.values else { return [] }
        return try ExternalReferences(connection: connection).all().filter { values.fault(of: $0) != nil }
    }

    private func forEachReference(
        in column: TableLayout.Column, table index: Int, _ body: (ExternalReference, String, RecordName?) -> Void
    ) throws {
        let table = layout.tables[index]
        let entity = table.isHierarchy ? "_entity" : "NULL"
        let sql = "SELECT _id, \(entity), \(column.sql) FROM \(table.sql) WHERE typeof(\(column.sql)) = 'text' ORDER BY _pk"
        try connection.forEachRow(sql) { row in
            guard let reference = ExternalReference(row.text(2)) else { return }
            body(reference, row.isNull(1) ? table.name : row.text(1), RecordName(stored: row.value(0)))
        }
    }

    private func fault(of reference: ExternalReference, _ checkingContents: Bool) -> ExternalValueFault? {
        guard let values = externalWriter?.values else { return ExternalValueFault(path: reference.text, reason: .noFolder) }
        guard checkingContents else { return values.fault(of: reference) }
        do throws(ExternalValueFault) {
            let found = try ExternalValueWriter.reference(to: values.read(reference))
            return found == reference ? nil : ExternalValueFault(path: values.path(of: reference), reason: .otherContents)
        } catch { return error }
    }
}
