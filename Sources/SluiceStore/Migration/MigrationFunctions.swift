// What the statements of a migration need and SQLite does not have. The functions live in the migration's own connection, not in the file.

import SluiceSQLite
import SluiceSchema

enum MigrationFunctions {
    static func register(on connection: Connection, naming: RecordNaming) throws(SQLiteError) {
        try connection.register("sluice_convert", argumentCount: 3) { call in
            guard let from = AttributeType(rawValue: call.text(1)), let to = AttributeType(rawValue: call.text(2)) else { return .null }
            let value = PropertyValue(stored: call.value(0), as: from)
            return TypeChange(from: from, to: to).converted(value)?.stored ?? .null
        }
        try registerShadow(on: connection)
        try connection.register("sluice_pair", argumentCount: 3) { call in
            guard let source = RecordName(stored: call.value(1)), let target = RecordName(stored: call.value(2)) else { return .null }
            return naming.pairName(type: call.text(0), source: source, target: target).stored
        }
    }

    /// The function that gives the NFC form of a text where it differs from the text.
    static let shadow = "sluice_nfc"

    static func registerShadow(on connection: Connection) throws(SQLiteError) {
        try connection.register(shadow, argumentCount: 1) { call in
            guard call.isText(0) else { return .null }
            return SQLiteValue(CanonicalText.shadow(of: call.text(0)))
        }
    }

    /// The value of an expression in the form of another type; NULL where it has none.
    static func converted(_ expression: String, _ change: TypeChange) -> String {
        if change.keepsStoredForm || (change.from == .url && change.to == .string) { return expression }
        return "sluice_convert(\(expression), '\(change.from.rawValue)', '\(change.to.rawValue)')"
    }
}
