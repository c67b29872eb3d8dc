package import Foundation

extension ImportReport {
    /// For people: counts per entity first, then what was left, then the notes.
    package var text: String {
        var lines = [
            "Legacy store \(source)",
            "  \(byteCount) bytes, SHA-256 \(digest)",
            "  schema \(schemaName) \(schemaVersion)\(storeIdentifier.isEmpty ? "" : ", store \(storeIdentifier)")",
            "",
            "Entities",
        ]
        let width = entities.map(\.entity.count).max() ?? 0
        for entity in entities where entity.rowCount > 0 {
            lines.append("  \(entity.entity.padding(toLength: width, withPad: " ", startingAt: 0))  \(entity.rowCount)")
        }
        let empty = entities.filter { $0.rowCount == 0 }.map(\.entity)
        if !empty.isEmpty { lines.append("  without rows: \(empty.joined(separator: ", "))") }
        lines += ["", "Tables"]
        for table in tables { lines.append("  " + line(table)) }
        for table in tables {
            for column in table.columns {
                guard case .left(let reason) = column.fate else { continue }
                if case .left = table.fate { continue }
                lines.append("  \(table.name).\(column.name): left, \(column.valueCount) values (\(reason))")
            }
        }
        lines += [
            "",
            "In all: \(totals.tables) tables, \(totals.columns) columns, \(totals.rows) rows;"
                + " \(totals.importedRows) objects and \(totals.importedLinks) pairs imported, \(totals.leftRows) rows left",
        ]
        if !notes.isEmpty { lines += ["", "Notes"] + notes.map { "  - \($0.description)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ table: Table) -> String {
        switch table.fate {
        case .entities(let root): "\(table.name): \(table.importedRowCount) of \(table.rowCount) rows, objects of \(root)"
        case .pairs(let relationship): "\(table.name): \(table.importedRowCount) of \(table.rowCount) rows, pairs of \(relationship)"
        case .copied: "\(table.name): \(table.rowCount) rows, copied"
        case .left(let reason): "\(table.name): left, \(table.rowCount) rows (\(reason))"
        }
    }

    /// For programs: keys sorted, so that two reports of one file are the same bytes.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
