import Foundation
import SluiceSQLite

/// Makes small files in Core Data's layout.
final class CraftedFile {
    static let identifier = "6C0E3B0A-54B1-4F0C-9D52-0B7D0F0C9A11"
    let path: String
    /// One for each use: a file that this process has open is no source.
    var connection: Connection { get throws { try held ?? Connection(path: path, mode: .readWrite) } }
    private var held: Connection?

    /// - Parameter entities: number, name, parent's number.
    init(
        _ path: String, model: [ModelWriter.Entity]?, entities: [(Int64, String, Int64)], tables: [String], journal: String = "WAL",
        cache: Data? = nil, identifier: String = CraftedFile.identifier
    ) throws {
        self.path = path
        let connection = try Connection(path: path, mode: .create)
        _ = try connection.value("PRAGMA journal_mode = \(journal)")
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            """)
        for (number, name, parent) in entities {
            try connection.run("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 9)", [.integer(number), .text(name), .integer(parent)])
        }
        try connection.run("INSERT INTO Z_METADATA VALUES (1, ?, NULL)", [.text(identifier)])
        if let content = cache ?? model.map({ ModelWriter($0).content() }) {
            try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
            try connection.run("INSERT INTO Z_MODELCACHE VALUES (?)", [.blob(content)])
        }
        for table in tables { try connection.execute(table) }
    }

    /// For tests that import copies of the file, log and all.
    func keepOpen() throws { held = try connection }

    func insert(_ table: String, _ values: [String: SQLiteValue]) throws {
        let columns = values.keys.sorted()
        try connection.run(
            "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(SQLText.placeholders(columns.count)))",
            columns.map { values[$0] ?? .null })
    }
}
