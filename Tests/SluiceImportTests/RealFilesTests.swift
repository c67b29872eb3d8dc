import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceImport

@Suite(.enabled(if: RealFile.areThere, "the real legacy stores are not beside this checkout"))
struct RealFilesTests {
    @Test(arguments: RealFile.allCases)
    func `every entity has the rows its README names, and reading gives as many`(_ real: RealFile) throws {
        let place = try Workplace()
        try real.copy(to: place)
        let file = try place.open(real.rawValue)
        for (entity, count) in real.counts {
            #expect(file.report.rowCount(of: entity) == count)
            #expect(try file.rows(of: entity).count == count)
        }
    }

    @Test(arguments: RealFile.allCases)
    func `the report accounts for every table, column and row of the file`(_ real: RealFile) throws {
        let place = try Workplace()
        try real.copy(to: place)
        let file = try place.open(real.rawValue)
        let connection = try Connection(path: file.store.path, mode: .readOnly)
        let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
        #expect(Set(file.report.tables.map(\.name)) == Set(tables))
        var rows = 0
        for table in file.report.tables {
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table.name)]) { $0.text(0) }
            #expect(table.columns.map(\.name) == columns)
            let count = Int(try connection.integer("SELECT count(*) FROM \(SQLText.name(table.name))"))
            #expect(table.rowCount == count)
            rows += count
        }
        let totals = file.report.totals
        #expect(totals.rows == rows)
        #expect(totals.importedRows == file.report.entities.reduce(0) { $0 + $1.rowCount })
        #expect(totals.importedRows + totals.importedLinks + totals.leftRows == rows)
    }

    @Test(arguments: RealFile.allCases)
    func `no column of an imported table is left, and all its values are imported`(_ real: RealFile) throws {
        let place = try Workplace()
        try real.copy(to: place)
        let file = try place.open(real.rawValue)
        for table in file.report.tables {
            if case .left(let reason) = table.fate {
                #expect(reason.hasPrefix("by design"), "\(table.name)")
                continue
            }
            for column in table.columns {
                if case .left(let reason) = column.fate { Issue.record("\(table.name).\(column.name): \(reason)") }
                #expect(column.importedCount == column.valueCount, "\(table.name).\(column.name)")
            }
        }
        let faults = file.report.notes.filter { note in
            switch note {
            case .noPlaceInFile, .unreadableValue, .strayValues, .inverseDropped, .constraintDropped: true
            default: false
            }
        }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test(arguments: RealFile.allCases)
    func `two readings of one file name every row the same, and no two rows alike`(_ real: RealFile) throws {
        let (here, there) = (try Workplace(), try Workplace())
        try real.copy(to: here)
        try real.copy(to: there)
        let first = try here.open(real.rawValue).allRows().map(\.recordName)
        let second = try there.open(real.rawValue).allRows().map(\.recordName)
        #expect(first == second)
        #expect(Set(first).count == first.count)
    }

    @Test func `the schema of Notes has names in original case, inheritance, and siblings that share a property's name`() throws {
        let place = try Workplace()
        try RealFile.notes.copy(to: place)
        let file = try place.open(RealFile.notes.rawValue)
        let note = try #require(file.schema.entity(named: "ICNote"))
        #expect(note.superentity == "ICCloudSyncingObject")
        #expect(note.attributes.contains { $0.name == "lastViewedModificationDate" && $0.type == .date && !$0.isOptional })
        #expect(file.schema.entity(named: "ICNoteContainer")?.isAbstract == true)
        #expect(file.schema.entity(named: "ICCloudSyncingObject")?.uniqueness == [["identifier"]])
        // ZTITLE1 is the note's and ZTITLE2 the folder's.
        let connection = try Connection(path: file.store.path, mode: .readOnly)
        for (entity, number, column) in [("ICNote", 11, "ZTITLE1"), ("ICFolder", 14, "ZTITLE2")] as [(String, Int64, String)] {
            let titles = try connection.rows(
                "SELECT \(column) FROM ZICCLOUDSYNCINGOBJECT WHERE Z_ENT = ? ORDER BY Z_PK", [.integer(number)]
            ) {
                $0.isNull(0) ? PropertyValue.null : .string($0.text(0))
            }
            #expect(try file.rows(of: entity).map { $0.values["title"] } == titles)
        }
        // Each note leads to its data and back.
        let notes = try file.rows(of: "ICNote")
        let data = Dictionary(uniqueKeysWithValues: try file.rows(of: "ICNoteData").map { ($0.primaryKey, $0) })
        for row in notes {
            let target = try #require(row.toOne["noteData"] ?? nil)
            #expect(
                data[target.primaryKey]?.toOne["note"] == .some(.some(.init(entity: "ICNote", primaryKey: row.primaryKey, position: nil))))
        }
    }

    @Test func `Screen Time has its to-ones, its one pair of a many-to-many, and transformables as bytes`() throws {
        let place = try Workplace()
        try RealFile.screenTime.copy(to: place)
        let file = try place.open(RealFile.screenTime.rawValue)
        let links = try file.links()
        #expect(links.count == 1)
        #expect(links.first?.relationship == "users" && links.first?.inverse == "blueprints")
        #expect(links.first?.owner.entity == "Blueprint" && links.first?.member.entity == "CoreUser")
        #expect(try file.rows(of: "UsageCategory").allSatisfy { ($0.toOne["block"] ?? nil)?.entity == "UsageBlock" })
        #expect(file.schema.entity(named: "Blueprint")?.attributes.first { $0.name == "versionVector" }?.type == .transformable)
        let request = try #require(file.schema.entity(named: "AskForTimeRequestResponse"))
        #expect(request.identity == ["identifier"])
        #expect(file.schema.entity(named: "Downtime")?.relationships.first { $0.name == "schedule" }?.minimumCount == 1)
        #expect(file.schema.entity(named: "InstalledApp")?.attributes.first { $0.name == "sortKey" }?.isPreservedOnDeletion == true)
    }
}
