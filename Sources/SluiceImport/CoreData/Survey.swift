// A first pass over every row. What a legacy model promises and what its rows hold are two things: Core Data checks when it saves, models
// change
// and databases get repaired. The schema must hold for every row, because a row that the store refuses would be lost. So where rows break a
// promise, the promise goes (with a count in the report) and the rows stay.

import Foundation
import SluiceSQLite
import SluiceSchema

/// What the rows of a file really hold.
struct Survey {
    private(set) var findings = ReadFindings()
    /// Rows without a value, by required or optional property.
    private(set) var empty: [FileLayout.Key: Int] = [:]
    /// Rows whose number does not fit the declared width.
    private(set) var tooWide: [FileLayout.Key: Int] = [:]
    /// Values that are there, by property.
    private(set) var valueCounts: [FileLayout.Key: Int] = [:]
    /// Rows that were read, by entity of the model.
    private(set) var rowCounts: [String: Int] = [:]

    init(_ plans: [ReadPlan], _ reader: RowReader) throws {
        for plan in plans {
            let declared = plan.values.map(\.type)
            var lenient = plan
            for index in lenient.values.indices where declared[index].isInteger { lenient.values[index].type = .int64 }
            var empty = [Int](repeating: 0, count: plan.values.count + plan.references.count)
            var wide = [Int](repeating: 0, count: plan.values.count)
            var rowCount = 0
            try reader.forEachStored(lenient, &findings) { row in
                rowCount += 1
                for index in row.values.indices {
                    if row.values[index].isNull { empty[index] += 1 } else if !row.values[index].fits(declared[index]) { wide[index] += 1 }
                }
                for index in row.references.indices where row.references[index] == nil { empty[row.values.count + index] += 1 }
            }
            rowCounts[plan.entity] = rowCount
            let keys = plan.values.map(\.key) + plan.references.map(\.key)
            for (index, key) in keys.enumerated() {
                self.empty[key, default: 0] += empty[index]
                valueCounts[key, default: 0] += rowCount - empty[index]
                if index < wide.count, wide[index] > 0 { tooWide[key, default: 0] += wide[index] }
            }
        }
    }

    /// Reads every membership once.
    /// - Returns: how many there are in each table of pairs.
    mutating func count(_ links: LinkReader, _ connection: Connection) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for source in links.sources {
            let before = findings.linkCount
            try links.forEachLink(of: source, connection, &findings) { _ in }
            counts[source.table, default: 0] += findings.linkCount - before
        }
        return counts
    }
}

/// Questions about uniqueness and membership that SQLite answers over the whole file.
struct UniquenessSurvey {
    let connection: Connection

    init(_ connection: Connection) throws {
        self.connection = connection
        // Temporary tables lie in a file of SQLite's own, so a large store does not fill the memory.
        try connection.execute(
            """
            PRAGMA temp_store = FILE;
            CREATE TEMP TABLE IF NOT EXISTS taken (value BLOB PRIMARY KEY, entity TEXT) WITHOUT ROWID;
            CREATE TEMP TABLE IF NOT EXISTS spelled (value TEXT PRIMARY KEY) WITHOUT ROWID;
            """)
    }

    /// How many rows share their values with an earlier row, under our rule: nil differs from everything, text is compared in NFC.
    func duplicateCount(of columns: [String], in table: String, entities numbers: [Int64]) throws -> Int {
        let names = columns.map(SQLText.name)
        let condition =
            "Z_ENT IN (\(SQLText.placeholders(numbers.count))) AND " + names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let values = numbers.map { SQLiteValue($0) }
        let list = names.joined(separator: ", ")
        let same = try connection.integer(
            """
            SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM \(SQLText.name(table)) WHERE \(condition)
                GROUP BY \(list) HAVING n > 1)
            """, values)
        if same > 0 { return Int(same) }
        return try respelledCount(list, in: table, condition, values)
    }

    /// Two spellings of one text differ only outside ASCII.
    private func respelledCount(_ list: String, in table: String, _ condition: String, _ values: [SQLiteValue]) throws -> Int {
        let text = list.split(separator: ", ").map { "(typeof(\($0)) = 'text' AND \($0) GLOB '*[^ -~]*')" }.joined(separator: " OR ")
        var duplicates = 0
        try connection.transaction(.deferred) {
            try connection.run("DELETE FROM temp.spelled")
            try connection.forEachRow("SELECT \(list) FROM \(SQLText.name(table)) WHERE \(condition) AND (\(text))", values) { statement in
                let spelled = statement.values().map { value in
                    value.text.map { "\($0.precomposedStringWithCanonicalMapping.utf8.count):\($0.precomposedStringWithCanonicalMapping)" }
                        ?? "\(value)"
                }
                duplicates += 1 - (try connection.run("INSERT OR IGNORE INTO temp.spelled VALUES (?)", [.text(spelled.joined())]))
            }
        }
        return duplicates
    }

    /// Takes every value of a UUID column for one entity.
    /// - Returns: why the column cannot name records; nil where it can.
    func claim(_ column: String, in table: String, entities numbers: [Int64], for entity: String) throws -> IdentityRefusal? {
        let name = SQLText.name(column)
        var refusal: IdentityRefusal?
        try connection.transaction(.deferred) {
            try connection.forEachRow(
                "SELECT \(name) FROM \(SQLText.name(table)) WHERE Z_ENT IN (\(SQLText.placeholders(numbers.count)))",
                numbers.map { SQLiteValue($0) }
            ) { statement in
                guard refusal == nil else { return }
                guard let uuid = ColumnValue.uuid(statement.value(0)) else {
                    refusal = .hasEmptyValues
                    return
                }
                let bytes = SQLiteValue.blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
                let isNew = try connection.run("INSERT OR IGNORE INTO temp.taken VALUES (?, ?)", [bytes, .text(entity)]) == 1
                guard !isNew else { return }
                let holder = try connection.value("SELECT entity FROM temp.taken WHERE value = ?", [bytes])?.text
                refusal = holder == entity ? .hasDuplicates : .sharedWithOtherEntity
            }
            if refusal != nil { try connection.run("DELETE FROM temp.taken WHERE entity = ?", [.text(entity)]) }
        }
        return refusal
    }

    /// Owners whose number of members is outside the limits.
    func outsideLimits(_ owners: String, _ numbers: [Int64], membersSQL: String, minimum: Int, maximum: Int) throws -> Int {
        let limit = maximum == 0 ? Int.max : maximum
        return Int(
            try connection.integer(
                """
                SELECT count(*) FROM \(SQLText.name(owners)) AS o WHERE Z_ENT IN (\(SQLText.placeholders(numbers.count)))
                    AND (\(membersSQL)) NOT BETWEEN ? AND ?
                """, numbers.map { SQLiteValue($0) } + [SQLiteValue(minimum), SQLiteValue(limit)]))
    }
}
