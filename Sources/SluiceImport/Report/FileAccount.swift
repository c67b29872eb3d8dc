import SluiceSQLite

/// Fills in a report's tables and columns: every one of the file, with what became of it and how much of it is imported.
struct FileAccount {
    let file: FileTables
    let model: ManagedModel
    let layout: FileLayout
    let names: SchemaNames
    let survey: Survey
    let links: LinkReader
    let linkCounts: [String: Int]
    let connection: Connection
    private(set) var notes: [ImportNote] = []

    private static let termCountMax = 400

    mutating func tables() throws -> [ImportReport.Table] {
        var tables: [ImportReport.Table] = []
        for table in file.tables {
            if let root = layout.tables.first(where: { $0.value.name == table.name })?.key {
                tables.append(try entityTable(table, root: root))
            } else if let join = layout.joins.first(where: { $0.table == table.name }) {
                tables.append(try pairTable(table, join))
            } else {
                tables.append(try leftTable(table))
            }
        }
        for object in file.otherObjects { notes.append(.unusedObject(kind: object.kind, name: object.name)) }
        return tables
    }

    // MARK: Tables of objects

    private mutating func entityTable(_ table: FileTables.Table, root: String) throws -> ImportReport.Table {
        let family = model.family(of: root)
        let rowCount = Int(try connection.integer("SELECT count(*) FROM \(SQLText.name(table.name))"))
        let imported = family.reduce(0) { $0 + (survey.rowCounts[$1.name] ?? 0) }
        let known = family.compactMap { layout.numbers[$0.name] }
        try connection.forEachRow(
            """
            SELECT coalesce(Z_ENT, 0), count(*) FROM \(SQLText.name(table.name))
            WHERE coalesce(Z_ENT, 0) NOT IN (\(SQLText.placeholders(known.count))) GROUP BY 1
            """, known.map { SQLiteValue($0) }
        ) { notes.append(.unknownEntityNumber(table: table.name, number: $0.integer(0), rowCount: Int($0.integer(1)))) }

        let fates = table.columns.map { fate(of: $0, family: family) }
        let counts = try valueCounts(table, fates.map(\.numbers))
        var columns: [ImportReport.Column] = []
        for (index, column) in table.columns.enumerated() {
            let (all, own) = counts[index]
            if !fates[index].numbers.isEmpty, all > own {
                notes.append(.strayValues(table: table.name, column: column.name, count: all - own))
            }
            columns.append(
                .init(name: column.name, declaredType: column.declaredType, fate: fates[index].fate, valueCount: all, importedCount: own))
        }
        return .init(
            name: table.name, fate: .entities(root: names.entities[root] ?? root), rowCount: rowCount, importedRowCount: imported,
            columns: columns)
    }

    /// What a column is, and the numbers of the entities whose rows may have a value there.
    private func fate(of column: FileTables.Column, family: [ManagedEntity]) -> (fate: ImportReport.ColumnFate, numbers: [Int64]) {
        let numbers = family.compactMap { layout.numbers[$0.name] }
        if let meaning = ColumnNames.structure[column.name] { return (.structure(meaning: meaning), numbers) }
        for entity in family {
            for (path, _) in entity.attributes.flatMap({ $0.leaves() }) {
                let key = FileLayout.Key(entity: entity.name, path: path)
                if layout.attributes[key] == column.name { return (.attribute(property: property(key)), owners(of: key)) }
            }
            for relationship in entity.relationships {
                let key = FileLayout.Key(entity: entity.name, path: relationship.name)
                guard let place = layout.references[key] else { continue }
                if place.column == column.name { return (.reference(relationship: property(key)), owners(of: key)) }
                if place.companion == column.name { return (.entityOfReference(relationship: property(key)), owners(of: key)) }
                if place.order == column.name { return (.position(relationship: property(key)), owners(of: key)) }
            }
        }
        for found in layout.oneSided where family.contains(where: { layout.tables[$0.name]?.name == found.table }) {
            if found.column == column.name { return (.reference(relationship: property(found.relationship)), numbers) }
            if found.order == column.name { return (.position(relationship: property(found.relationship)), numbers) }
        }
        return (.left(reason: "no property of the model lies here"), [])
    }

    private func property(_ key: FileLayout.Key) -> String { "\(names.entities[key.entity] ?? key.entity).\(names[key])" }

    private func owners(of key: FileLayout.Key) -> [Int64] { model.family(of: key.entity).compactMap { layout.numbers[$0.name] } }

    /// Per column: values in all rows, and in rows of the given entities.
    private func valueCounts(_ table: FileTables.Table, _ numbers: [[Int64]]) throws -> [(all: Int, own: Int)] {
        var counts: [(all: Int, own: Int)] = []
        for start in stride(from: 0, to: table.columns.count, by: Self.termCountMax) {
            let range = start..<min(start + Self.termCountMax, table.columns.count)
            let terms = range.map { index in
                let name = SQLText.name(table.columns[index].name)
                let list = numbers[index].map(String.init).joined(separator: ", ")
                return "count(\(name)), count(\(name)) FILTER (WHERE Z_ENT IN (\(list)))"
            }
            let row = try connection.firstRow("SELECT \(terms.joined(separator: ", ")) FROM \(SQLText.name(table.name))") { statement in
                (0..<Int32(range.count)).map { (all: Int(statement.integer(2 * $0)), own: Int(statement.integer(2 * $0 + 1))) }
            }
            counts += row ?? []
        }
        return counts
    }

    // MARK: Other tables

    private func pairTable(_ table: FileTables.Table, _ join: FileLayout.Join) throws -> ImportReport.Table {
        let relationship = property(join.owner)
        let rowCount = Int(try connection.integer("SELECT count(*) FROM \(SQLText.name(table.name))"))
        let imported = linkCounts[table.name] ?? 0
        let columns = try table.columns.map { column -> ImportReport.Column in
            let fate: ImportReport.ColumnFate =
                switch column.name {
                case join.ownerColumn, join.memberColumn: .reference(relationship: relationship)
                case join.memberOrder, join.ownerOrder: .position(relationship: relationship)
                default: .left(reason: "no part of the pair")
                }
            let count = Int(try connection.integer("SELECT count(\(SQLText.name(column.name))) FROM \(SQLText.name(table.name))"))
            if case .left = fate {
                return .init(name: column.name, declaredType: column.declaredType, fate: fate, valueCount: count, importedCount: 0)
            }
            return .init(
                name: column.name, declaredType: column.declaredType, fate: fate, valueCount: count, importedCount: min(count, imported))
        }
        return .init(
            name: table.name, fate: .pairs(relationship: relationship), rowCount: rowCount, importedRowCount: imported, columns: columns)
    }

    private func leftTable(_ table: FileTables.Table) throws -> ImportReport.Table {
        var reason = Self.reason(for: table.name.uppercased())
        var rowCount = 0
        var counts = [Int](repeating: 0, count: table.columns.count)
        let terms = ["count(*)"] + table.columns.map { "count(\(SQLText.name($0.name)))" }
        do {
            try connection.forEachRow("SELECT \(terms.joined(separator: ", ")) FROM \(SQLText.name(table.name))") { statement in
                rowCount = Int(statement.integer(0))
                for index in counts.indices { counts[index] = Int(statement.integer(Int32(1 + index))) }
            }
        } catch let error as SQLiteError where error.code == .error {
            reason = "it cannot be read here: \(error.message)"
        }
        let columns = zip(table.columns, counts).map {
            ImportReport.Column(name: $0.name, declaredType: $0.declaredType, fate: .left(reason: reason), valueCount: $1, importedCount: 0)
        }
        return .init(name: table.name, fate: .left(reason: reason), rowCount: rowCount, importedRowCount: 0, columns: columns)
    }

    /// How a reason begins that is no loss.
    static let byDesign = "by design"

    private static func reason(for table: String) -> String {
        switch table {
        case "Z_PRIMARYKEY": "\(byDesign): entity numbers, which end with the file"
        case "Z_METADATA": "\(byDesign): the file's own description; its identifier names the imported records"
        case "Z_MODELCACHE": "\(byDesign): the model, which became the schema"
        case "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING": "\(byDesign): history of the old store"
        case let name where name.hasPrefix("ANSCK"): "\(byDesign): Core Data's sync with CloudKit"
        case let name where name.hasPrefix("SQLITE_"): "\(byDesign): SQLite's own"
        default: "no entity of the model lies here"
        }
    }
}
