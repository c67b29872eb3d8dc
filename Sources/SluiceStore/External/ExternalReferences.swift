// Which external values a store file needs: those that a row or an old value in the change log refers to. Found in the file itself, by
// the shape of the text, in every column that may hold bytes: whatever the schema said when it was written, and whatever became of the
// attribute since.

import SluiceSchema
import SluiceSQLite

/// The references in one store file.
struct ExternalReferences {
    let connection: Connection

    /// Columns looked at by one statement; a condition of very many terms is too deep for SQLite.
    private static let columnCountMax = 100

    /// The SHA-256 of every value that is needed.
    func digests() throws -> Set<String> {
        var digests: Set<String> = []
        try forEach { digests.insert($0.digest) }
        return digests
    }

    func all() throws -> Set<ExternalReference> {
        var references: Set<ExternalReference> = []
        try forEach { references.insert($0) }
        return references
    }

    private func forEach(_ body: (ExternalReference) -> Void) throws {
        for table in try tables() {
            let columns = try columns(of: table)
            for start in stride(from: 0, to: columns.count, by: Self.columnCountMax) {
                try forEach(in: columns[start..<min(start + Self.columnCountMax, columns.count)], of: table, body)
            }
        }
    }

    /// SQLite tells a value's type without loading the value.
    private func forEach(in columns: ArraySlice<String>, of table: String, _ body: (ExternalReference) -> Void) throws {
        let prefix = ExternalReference.prefix
        let terms = columns.map { "(typeof(\($0)) = 'text' AND substr(\($0), 1, \(prefix.count)) = \(SQLText.literal(prefix)))" }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(SQLText.name(table)) WHERE \(terms.joined(separator: " OR "))"
        try connection.forEachRow(sql) { row in
            for column in 0..<row.columnCount where row.isText(column) {
                if let reference = ExternalReference(row.text(column)) { body(reference) }
            }
        }
    }

    /// Tables of rows, and those of old values.
    private func tables() throws -> [String] {
        try connection.rows(
            """
            SELECT name FROM sqlite_master WHERE type = 'table'
                AND (name IN (SELECT name FROM _sluice_table) OR name GLOB '_sluice_old_[0-9]*') ORDER BY name
            """) { $0.text(0) }
    }

    /// Columns of bytes, and those without a declared type, which is what old values lie in.
    private func columns(of table: String) throws -> [String] {
        try connection.rows(
            """
            SELECT name FROM pragma_table_info(?) WHERE upper(type) IN ('BLOB', '') AND name NOT IN ('_id', '_pk') ORDER BY cid
            """, [.text(table)]
        ) { SQLText.name($0.text(0)) }
    }
}
