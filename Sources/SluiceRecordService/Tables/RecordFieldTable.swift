import SluiceRecords
import SluiceSQLite

/// What records look like is a container's, not a user's, so its statements name no database.
enum RecordFieldStatement {
    static let global = "/* global: what records of a container look like */"
}

extension WriteTransaction {
    func addRecordFields(_ fields: [RecordField], to container: String, _ environment: ServiceEnvironment) throws {
        for field in fields {
            try connection.write(
                """
                \(RecordFieldStatement.global) INSERT INTO record_field(container, environment, record_type, name, value_type)
                VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [.text(container), .text(environment.rawValue), .text(field.recordType), .text(field.name), .text(field.valueType)])
        }
    }
}

/// What readers see of record types.
struct RecordFieldReading {
    let connection: any TableConnection

    func fields(of container: String, _ environment: ServiceEnvironment) throws -> [RecordField] {
        try connection.rows(
            """
            \(RecordFieldStatement.global) SELECT record_type, name, value_type FROM record_field WHERE container = ? AND environment = ?
            ORDER BY record_type, name, value_type
            """, [.text(container), .text(environment.rawValue)]
        ) { RecordField($0.text(0), $0.text(1), $0.text(2)) }
    }
}
