import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite

/// What tells one backup from another, for who chooses.
package struct BackupDetails: Sendable {
    /// Of the schema that the copy holds; nil where it cannot be opened.
    package var schemaVersion: String?
    /// Of the copy and of the values in files beside it. Those are further names of files that other copies have too.
    package var byteCount = 0
    /// Why it is no use: it does not open, or its check finds a fault. nil for a sound one.
    package var fault: String?
}

extension StoreBackup {
    /// Opens the copy and reads all of it: as long as that takes.
    package func details() -> BackupDetails {
        var details = BackupDetails()
        details.byteCount = Self.byteCount(path) + externalByteCount
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            try Store.checkKind(connection)
            details.schemaVersion = "\(try Store.schema(in: connection).version)"
            details.fault = try connection.integrityFaults().first ?? lostValue(connection)
        } catch { details.fault = "\(error)" }
        return details
    }

    /// Rows of every entity, counted now.
    /// - Throws: `StoreError` or `SQLiteError` where the copy cannot be read.
    package func rowCounts() throws -> [String: Int] {
        let connection = try Connection(path: path, mode: .readOnly)
        try Store.checkKind(connection)
        return try Store.rowCounts(in: connection)
    }

    private func lostValue(_ connection: Connection) throws -> String? {
        guard let values = ExternalValues(besideStore: path) else { return nil }
        return try ExternalReferences(connection: connection).all().lazy.compactMap { values.fault(of: $0) }.first.map { "\($0)" }
    }

    private var externalByteCount: Int {
        guard let folder = ExternalValues(besideStore: path)?.folder, let files = FileManager.default.enumerator(atPath: folder)
        else { return 0 }
        return files.reduce(0) { sum, name in (name as? String).map { sum + Self.fileByteCount("\(folder)/\($0)") } ?? sum }
    }

    private static func fileByteCount(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }
}

extension Store {
    /// Rows of every entity of the store that a connection has open, counted now.
    static func rowCounts(in connection: Connection) throws -> [String: Int] {
        let layout = StoredSchema(try schema(in: connection))
        return try Dictionary(
            uniqueKeysWithValues: layout.sortedEntities.filter { !$0.isAbstract && !$0.isJoin }.map { entity in
                let condition = entity.discriminator == nil ? "" : " WHERE _entity = ?"
                let values = entity.discriminator.map { [SQLiteValue.text($0)] } ?? []
                let sql = "SELECT count(*) FROM \(layout.table(of: entity).sql)\(condition)"
                return (entity.name, Int(try connection.integer(sql, values)))
            })
    }
}
