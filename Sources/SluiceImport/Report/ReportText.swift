package import Foundation

extension ImportReport {
    /// What the legacy store holds and the import does not: a line for each, with its count. What follows from how the file is built (entity
    /// numbers, history of the old store) is no loss.
    package var losses: [String] {
        var losses: [String] = []
        for table in tables {
            if case .left(let reason) = table.fate {
                if !reason.hasPrefix(FileAccount.byDesign) {
                    if table.rowCount > 0 { losses.append("\(table.name): \(table.rowCount) rows (\(reason))") }
                    continue
                }
            }
            for column in table.columns {
                guard case .left(let reason) = column.fate, column.valueCount > 0, !reason.hasPrefix(FileAccount.byDesign) else { continue }
                losses.append("\(table.name).\(column.name): \(column.valueCount) values (\(reason))")
            }
        }
        return losses + omissions.map(text(of:)) + notes.filter(\.isLoss).map(\.description)
    }

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
                + " \(totals.importedRows) objects and \(totals.importedLinks) pairs imported,"
                + (totals.omittedRows > 0 ? " \(totals.omittedRows) rows omitted," : "") + " \(totals.leftRows) rows left",
        ]
        let losses = losses
        lines += ["", losses.isEmpty ? "Nothing is lost." : "Lost"] + losses.map { "  - \($0)" }
        if !notes.isEmpty { lines += ["", "Notes"] + notes.map { "  - \($0.description)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    private func text(of omission: Omission) -> String {
        let isEntity = !omission.subject.contains(".")
        return "\(omission.subject): \(isEntity ? "\(omission.rowCount) rows" : "\(omission.valueCount) values") (\(omission.reason))"
    }

    private func line(_ table: Table) -> String {
        switch table.fate {
        case .entities(let root): "\(table.name): \(table.importedRowCount) of \(table.rowCount) rows, objects of \(root)"
        case .pairs(let relationship): "\(table.name): \(table.importedRowCount) of \(table.rowCount) rows, pairs of \(relationship)"
        case .copied: "\(table.name): \(table.rowCount) rows, copied"
        case .left(let reason): "\(table.name): left, \(table.rowCount) rows (\(reason))"
        case .omitted(let reason): "\(table.name): omitted, \(table.rowCount) rows (\(reason))"
        }
    }

    /// For programs: keys sorted, so that two reports of one file are the same bytes.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
