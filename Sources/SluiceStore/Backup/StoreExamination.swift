import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite

/// What can be said of a store file by reading it, while others use it.
package struct StoreExamination: Sendable {
    /// Nil where the file does not open as a store.
    package private(set) var schemaVersion: String?
    package private(set) var schemaName: String?
    /// Whom the store says it belongs to.
    package private(set) var owner: String?
    /// The file's format, where this program does not know it.
    package private(set) var newerFormat: Int?
    /// What is wrong with the contents; empty for a sound store.
    package private(set) var faults: [String] = []
    /// Why it could not be read, where that is no fault of its contents.
    package private(set) var obstacle: String?
    /// Of the write-ahead log beside it.
    package private(set) var logByteCount = 0

    /// - Parameter isDeep: also compares every index with its table and reads every value that lies in a file; as long as reading all of
    ///   it.
    package init(ofStoreAt path: String, isDeep: Bool) {
        logByteCount = StoreBackup.byteCount(path + "-wal")
        do {
            let connection = try Connection(path: path, mode: .readOnly)
            try Store.checkKind(connection)
            owner = try StoreHeader.value("owner", in: connection)?.text
            let schema = try Store.schema(in: connection)
            (schemaVersion, schemaName) = ("\(schema.version)", schema.name)
            faults = try isDeep ? connection.integrityFaults() : connection.quickFaults()
            if faults.isEmpty { faults = try lostValues(connection, path, isDeep: isDeep) }
        } catch StoreError.formatIsNewer(_, let format) {
            newerFormat = format
        } catch let error as SQLiteError where !(.corrupt ~= error.code || .notADatabase ~= error.code) {
            obstacle = "\(error)"
        } catch { faults = ["\(error)"] }
    }

    private func lostValues(_ connection: Connection, _ path: String, isDeep: Bool) throws -> [String] {
        guard let values = ExternalValues(besideStore: path) else { return [] }
        let references = try ExternalReferences(connection: connection).all()
        return references.lazy.compactMap { reference -> String? in
            if let fault = values.fault(of: reference) { return "\(fault)" }
            guard isDeep else { return nil }
            do throws(ExternalValueFault) {
                let found = try ExternalValueWriter.reference(to: values.read(reference))
                return found == reference ? nil : "\(ExternalValueFault(path: values.path(of: reference), reason: .otherContents))"
            } catch { return "\(error)" }
        }.prefix(20).map { $0 }
    }

    /// What a program that was killed left of backups and restores of the store at `path`, and nobody is at work on now.
    package static func leftovers(ofStoreAt path: String) -> [String] {
        let folder = BackupFolder.path(ofStore: path)
        // A folder that is not there, or may not be read, has none to tell of.
        guard let attempts = try? BackupFolder.attempts(in: folder), !attempts.isEmpty, !BackupFolder.isBusy(folder) else { return [] }
        return attempts.map { "\(folder)/\($0)" }
    }
}
