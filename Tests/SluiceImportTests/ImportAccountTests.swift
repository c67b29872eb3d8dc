import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceImport

/// What goes in comes out: imported, omitted, left or kept out, and nothing else.
@Suite struct ImportAccountTests {
    private static let rules = LegacyMapping(
        file: "/m.yaml",
        entities: [
            "AudioBook": .init(.init("AudioBook"), omission: .init("sold")),
            "Chapter": .init(.init("Chapter"), name: .init("Part"), properties: ["number": .init(.init("number"), omission: .init("counted"))]),
            "Tag": .init(.init("Tag"), properties: ["label": .init(.init("label"), type: .int64)]),
        ])

    private func expectAccount(_ result: LegacyImport.Result, of path: String, in place: Workplace) throws {
        let (report, outcome) = (result.report, result.outcome)
        // Rows: each table's by itself, and all of them.
        let totals = report.totals
        #expect(totals.rows == totals.importedRows + totals.importedLinks + totals.omittedRows + totals.leftRows)
        for table in report.tables {
            #expect(table.importedRowCount >= 0 && table.omittedRowCount >= 0)
            #expect(table.importedRowCount + table.omittedRowCount <= table.rowCount, "\(table.name)")
            if case .left = table.fate { #expect(table.importedRowCount == 0) }
            for column in table.columns {
                #expect((0...column.valueCount).contains(column.importedCount), "\(table.name).\(column.name)")
                switch column.fate {
                case .left, .omitted: #expect(column.importedCount == 0, "\(table.name).\(column.name)")
                default: break
                }
            }
        }
        #expect(totals.importedRows == report.entities.reduce(0) { $0 + $1.rowCount })
        // What the report calls imported is in the store, or kept out with a count.
        let kept = outcome.insertedRows + outcome.unchangedRows + outcome.editedRows
        #expect(totals.importedRows == kept + outcome.deletedRows + outcome.conflictingRows + outcome.unmappedRows)
        let store = try place.openTarget()
        var (rows, pairs, values) = (0, 0, 0)
        for row in try store.contents().values {
            guard let entity = store.layout.entities[row.entity] else { continue }
            if entity.isJoin { pairs += 1 } else { rows += 1 }
            let declared = store.layout.schema.entity(named: row.entity).map { store.layout.schema.attributes(of: $0).map(\.name) } ?? []
            values += declared.filter { row.attributes[$0]?.isNull == false }.count
        }
        #expect(rows == kept)
        #expect(pairs <= outcome.insertedLinks + outcome.unchangedLinks)
        // Every value of an attribute that the report calls imported is in the store.
        let unreadable = report.notes.reduce(0) { sum, note in
            switch note {
            case .unreadableValue(_, let count, _) where report.kind != .json, .missingExternalFile(_, let count, _): sum + count
            default: sum
            }
        }
        let imported = report.tables.flatMap(\.columns).reduce(0) { sum, column in
            if case .attribute = column.fate { sum + column.importedCount } else { sum }
        }
        #expect(values == imported - unreadable - outcome.unmappedValues.filter { !$0.key.isEmpty }.values.reduce(0, +))
        // The file itself has no table, column or row that the report does not know.
        guard report.kind != .json else { return }
        let connection = try Connection(path: path, mode: .readOnly)
        let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
        #expect(Set(report.tables.map(\.name)) == Set(tables))
        for table in report.tables {
            #expect(table.rowCount == Int(try connection.integer("SELECT count(*) FROM \(SQLText.name(table.name))")))
            #expect(table.columns.map(\.name) == (try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table.name)]) { $0.text(0) }))
            for column in table.columns {
                let count = Int(try connection.integer("SELECT count(\(SQLText.name(column.name))) FROM \(SQLText.name(table.name))"))
                #expect(column.valueCount == count, "\(table.name).\(column.name)")
            }
        }
    }

    private func expectAccounts(_ name: String, _ place: Workplace, _ mapping: LegacyMapping? = nil) throws {
        let staged = try place.stage(name)
        try expectAccount(try place.importing(name, mapping: mapping), of: staged.path, in: place)
        let export = try Workplace()
        try place.openAny(name).json(.lines).write(to: URL(fileURLWithPath: export.source + "/e.jsonl"))
        try expectAccount(try export.importing("e.jsonl", mapping: mapping), of: "", in: export)
    }

    @Test(.enabled(if: RealFile.areThere, "the real legacy stores are not beside this checkout"), arguments: RealFile.allCases)
    func `every row and value of a real store is imported, omitted, left with a reason or kept out with a count`(_ real: RealFile) throws {
        let place = try Workplace()
        try real.copy(to: place)
        try expectAccounts(real.rawValue, place)
        let mapped = try Workplace()
        try real.copy(to: mapped)
        let omitted = real == .notes ? "ICNoteData" : "UsageBlock"
        let rules = LegacyMapping(file: "/m", entities: [omitted: .init(.init(omitted), omission: .init("a test"))])
        try expectAccounts(real.rawValue, mapped, rules)
    }

    @Test func `so is every row and value of a store with one of everything, mapped or not`() throws {
        for mapping in [nil, Self.rules] {
            let place = try Workplace()
            _ = try CraftedLibrary.make(in: place)
            try expectAccounts(CraftedLibrary.name, place, mapping)
        }
    }

    @Test func `so is what damaged rows hold, and what the account's schema keeps out`() throws {
        let place = try Workplace()
        let crafted = try CraftedLibrary.make(in: place)
        try crafted.insert("ZBOOK", ["Z_PK": 9, "Z_ENT": 1, "ZTITLE": .blob(Data([0xFF])), "ZADDED": "soon", "ZSHELF": 77, "ZMINUTES": 4])
        try crafted.insert("ZBOOK", ["Z_PK": 10, "Z_ENT": 99, "ZTITLE": "of nobody"])
        try crafted.insert("ZBOOK", ["Z_PK": 11, "Z_ENT": 1, "ZTITLE": "gone", "ZCOVER": .blob(Data([2]) + Data(UUID().uuidString.utf8))])
        try crafted.insert("Z_1TAGS", ["Z_1BOOKS": 500, "Z_6TAGS": 1])
        let result = try place.importing(CraftedLibrary.name)
        try expectAccount(result, of: place.stage(CraftedLibrary.name).path, in: place)
        #expect(result.report.losses.count >= 5)
        #expect(result.report.totals.leftRows > 4)
        // The text form of bytes that are no text, the date, the reference, the stray minutes, the unknown entity, the file, the pair.
        let other = try Workplace()
        _ = try CraftedLibrary.make(in: other)
        let schema = try Schema(
            name: "mine",
            validating: [
                Entity("Book", attributes: [Attribute("title", .string)]), Entity("Tag", attributes: [Attribute("label", .string, isOptional: true)]),
            ])
        let kept = try other.importing(CraftedLibrary.name, schema: schema)
        #expect(kept.outcome.insertedRows == 4 && kept.outcome.unmappedRows == 9)
        #expect(kept.outcome.insertedRows + kept.outcome.unmappedRows == kept.report.totals.importedRows)
    }

    // MARK: A store of ours that is read

    @Test func `what a store of ours owes its service is no part of its rows, and the report says so`() throws {
        let place = try Workplace()
        let schema = try Schema(name: "s", validating: [Entity("Note", attributes: [Attribute("text", .string)])])
        do {
            let store = try Store(path: place.source + "/Ours.store", schema: schema, options: Store.Options(zone: "test"))
            try store.write { _ = try store.put("Note", name: RecordName("n"), RowEdit(attributes: ["text": .string("a")])) }
            try store.connection.execute(
                """
                INSERT INTO _sluice_record(id, tag, extra) VALUES ('n', 't', x'01');
                INSERT INTO _sluice_pending(id, tbl, row, first, last) VALUES ('p', 1, 1, 1, 1);
                INSERT INTO _sluice_owed(id, field, body, reference, stamp, last) VALUES ('p', 'f', x'00', 0, 0, 0);
                INSERT INTO _sluice_inbox(id, body, reason) VALUES ('i', x'00', 'r');
                INSERT INTO _sluice_tombstone(id, at) VALUES ('d', 0);
                """)
        }
        let read = try place.openAny("Ours.store").report
        #expect(
            read.losses.map { String($0.prefix { $0 != "(" }) } == [
                "_sluice_inbox: 1 rows ", "_sluice_owed: 1 rows ", "_sluice_pending: 1 rows ", "_sluice_record.extra: 1 values ",
            ])
        #expect(!read.text.contains("copied") && !read.text.contains("Nothing is lost"))
        #expect(read.totals.rows == read.totals.importedRows + read.totals.leftRows && read.totals.importedRows == 1)
        // Whoever moves it whole loses nothing.
        let moved = try place.importing("Ours.store").report
        #expect(moved.losses.isEmpty && moved.tables.first { $0.name == "_sluice_pending" }?.fate == .copied)
    }
}
