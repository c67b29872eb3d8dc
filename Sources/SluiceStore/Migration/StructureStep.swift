// One structural step, inside the migration's transaction, with foreign keys off and the triggers of capture gone until its end: nothing it does
// is an entry of the log.

import Foundation
import SluiceDigest
import SluiceSchema
import SluiceSQLite

struct StructureStep {
    let connection: Connection
    let change: SchemaChange
    let capturesChanges: Bool

    func run() throws {
        try writeHeader()
    }

    private func writeHeader() throws {
        let values: [(String, SQLiteValue)] = [
            ("schema", .blob(try change.to.canonicalEncoding())),
            ("checksum", .text(Digest.sha256(try change.to.shapeEncoding()).hexadecimal)),
        ]
        for (key, value) in values { try connection.run("UPDATE _sluice_store SET value = ? WHERE key = ?", [value, .text(key)]) }
    }
}
