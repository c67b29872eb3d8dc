import Foundation
import SluiceSQLite

/// Values that Core Data may keep in files beside the store. A column then holds 0x01 and the value, or 0x02 and the file's name, a UUID
/// as text.
struct ExternalValues {
    /// `_EXTERNAL_DATA` beside the staged copy.
    let folder: String

    enum Reading {
        case bytes(Data)
        case missingFile
    }

    /// A larger value cannot be a SQLite blob either.
    static let byteCountMax = 1 << 30

    func read(_ stored: Data) throws -> Reading {
        switch stored.first {
        case 1: return .bytes(Data(stored.dropFirst()))
        case 2:
            guard let name = Self.fileName(stored) else { return .bytes(stored) }
            let path = folder + "/" + name
            guard let status = try FileStatus(ofPath: path), status.kind == .regular, status.byteCount <= Self.byteCountMax else {
                return .missingFile
            }
            return .bytes(try OpenFile.reading(path).read(status.byteCount, at: 0))
        default: return .bytes(stored)
        }
    }

    /// The file that a value names; nil where it names none. Only a UUID is accepted, so that no value leads out of the folder.
    static func fileName(_ stored: Data) -> String? {
        guard stored.first == 2, stored.count == 37 || stored.count == 38 else { return nil }
        let name = String(decoding: stored.dropFirst().prefix(36), as: UTF8.self)
        guard UUID(uuidString: name) != nil, stored.count == 37 || stored.last == 0 else { return nil }
        return name
    }

    /// Whether a column that the model does not mark holds such values all the same: some name a file, and all begin with 0x01 or 0x02.
    static func isUsed(in column: String, of table: String, _ connection: Connection) throws -> Bool {
        let name = SQLText.name(column)
        let counts = try connection.firstRow(
            """
            SELECT count(*), count(*) FILTER (WHERE substr(\(name), 1, 1) IN (x'01', x'02')),
                count(*) FILTER (WHERE substr(\(name), 1, 1) = x'02' AND length(\(name)) IN (37, 38))
            FROM \(SQLText.name(table)) WHERE typeof(\(name)) = 'blob'
            """
        ) { (all: $0.integer(0), marked: $0.integer(1), named: $0.integer(2)) }
        guard let counts, counts.named > 0, counts.marked == counts.all else { return false }
        let example = try connection.value(
            "SELECT \(name) FROM \(SQLText.name(table)) WHERE substr(\(name), 1, 1) = x'02' AND length(\(name)) IN (37, 38) LIMIT 1")
        return example?.blob.flatMap(fileName) != nil
    }

    /// The files that no value of the given columns names; a file's name is a UUID in either case.
    func unreferenced(columns: [(table: String, column: String)], _ connection: Connection) throws -> [String] {
        let files = try Folder.names(in: folder)
        guard !files.isEmpty else { return [] }
        try connection.execute("CREATE TEMP TABLE IF NOT EXISTS filed (name TEXT PRIMARY KEY) WITHOUT ROWID")
        for place in columns {
            let column = SQLText.name(place.column)
            try connection.run(
                """
                INSERT OR IGNORE INTO temp.filed SELECT upper(CAST(substr(\(column), 2, 36) AS TEXT)) FROM \(SQLText.name(place.table))
                WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'02' AND length(\(column)) IN (37, 38)
                """)
        }
        return try files.filter { try connection.value("SELECT 1 FROM temp.filed WHERE name = ?", [.text($0.uppercased())]) == nil }
    }
}
