// Unsent edits of what a migration took out of the schema. The outbox keeps their records like any other; what is to be sent stands here, in
// wire form, because no column holds it any more. Two kinds:
//
// - A property went: its record has a row still, and what is owed goes along with the next operation of that record.
// - An entity went: its record is departed. All of it stands here, so that it can be made anew where the service does not have it.
//
// An edit is settled as a column is, by the log position of its last change; with the pending record everything goes that is owed of it.

package import Foundation
import SluiceSQLite
package import SluiceSchema

/// What is owed of one field.
package struct OwedEdit: Sendable {
    /// The field's name on the wire.
    package let field: String
    /// Its fields in encoded form: the value, and its companion where it has one.
    package let body: Data
    package let isReference: Bool
    /// When a person edited it, in milliseconds since 1970; 0 where nobody did.
    package let stamp: Int64
    /// The hash of the value before the first unsent edit; nil where none is known.
    package let base: UInt64?
    /// The log position of the last edit; 0 for a field of a departed record that nobody edited.
    package let last: Int64

    package init(field: String, body: Data, isReference: Bool, stamp: Int64, base: UInt64?, last: Int64) {
        self.field = field
        self.body = body
        self.isReference = isReference
        self.stamp = stamp
        self.base = base
        self.last = last
    }
}

/// What is known of a pending record whose type this device's schema no longer has.
package struct DepartedRecord: Hashable, Sendable {
    package let type: String
    /// Whether the code of a migration's stage deleted it.
    package let isDeletedByStage: Bool
}

extension Store {
    /// Makes the tables of this file in a store from before there were any.
    package func completeSyncTables() throws {
        guard capturesChanges else { return }
        for statement in SyncDefinition.laterStatements { try connection.execute(statement) }
    }

    package func owe(_ edit: OwedEdit, of name: RecordName) throws {
        try connection.run(
            """
            INSERT INTO _sluice_owed(id, field, body, reference, stamp, base, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT(id, field) DO UPDATE SET body = ?3, reference = ?4, stamp = ?5, base = coalesce(base, ?6), last = ?7
            """,
            [
                name.stored, .text(edit.field), .blob(edit.body), .integer(edit.isReference ? 1 : 0), .integer(edit.stamp),
                SQLiteValue(edit.base.map { Int64(bitPattern: $0) }), .integer(edit.last),
            ])
    }

    package func owedEdits(of name: RecordName) throws -> [OwedEdit] {
        try connection.rows("SELECT field, body, reference, stamp, base, last FROM _sluice_owed WHERE id = ? ORDER BY field", [name.stored]) {
            OwedEdit(
                field: $0.text(0), body: $0.data(1), isReference: $0.integer(2) == 1, stamp: $0.integer(3),
                base: $0.value(4).integer.map { UInt64(bitPattern: $0) }, last: $0.integer(5))
        }
    }

    package func forgetField(_ column: Int, of name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_field WHERE id = ? AND col = ?", [name.stored, SQLiteValue(column)])
    }

    package func forgetOwed(_ field: String, of name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_owed WHERE id = ? AND field = ?", [name.stored, .text(field)])
    }

    /// What was edited up to that position is on the service.
    func settleOwed(of name: RecordName, through sent: Int64) throws {
        try connection.run("DELETE FROM _sluice_owed WHERE id = ? AND last <= ?", [name.stored, .integer(sent)])
    }

    /// Takes a pending record out of its table, which is about to go, or to lose its row.
    package func depart(_ change: PendingChange, type: String) throws {
        let isDeletedByStage = try change.isDeleted && self.isDeletedByStage(change)
        try connection.run(
            "INSERT INTO _sluice_departed(id, type, by_stage) VALUES (?1, ?2, ?3) ON CONFLICT(id) DO UPDATE SET type = ?2, by_stage = ?3",
            [change.name.stored, .text(type), .integer(isDeletedByStage ? 1 : 0)])
        try connection.run("UPDATE _sluice_pending SET tbl = 0, row = 0 WHERE id = ?", [change.name.stored])
        try connection.run("UPDATE _sluice_record SET tbl = NULL WHERE id = ?", [change.name.stored])
        try connection.run("DELETE FROM _sluice_field WHERE id = ?", [change.name.stored])
    }

    /// Sends departed records as a whole, for a service that lost them.
    package func resendDeparted() throws {
        try connection.run(
            """
            UPDATE _sluice_pending SET inserted = CASE deleted WHEN 0 THEN max(inserted, 2) ELSE inserted END, reconcile = 0, failure = NULL
                WHERE tbl = 0
            """)
    }

    /// Lets departed records of a type that comes back be taken from the service once more.
    package func outdateDeparted(ofType type: String) throws {
        try connection.run(
            "UPDATE _sluice_record SET tag = ? WHERE tag IS NOT NULL AND id IN (SELECT id FROM _sluice_departed WHERE type = ?)",
            [.text(Self.outdatedTag), .text(type)])
    }

    /// A change tag that no version of a record has.
    package static let outdatedTag = "outdated"

    /// Calls `body` for each record of a table that waits to be sent, in flight, set aside or not. It may change what is pending of it.
    package func forEachPendingChange(in table: Int, _ body: (PendingChange) throws -> Void) throws {
        let batch = 500
        var last: Int64 = 0
        while true {
            let page = try connection.rows(
                "SELECT number, id FROM _sluice_pending WHERE tbl = ? AND number > ? ORDER BY number LIMIT ?",
                [.integer(tableNumbers[table]), .integer(last), SQLiteValue(batch)]) { ($0.integer(0), RecordName(stored: $0.value(1))) }
            for case (_, let name?) in page { if let change = try pendingChange(of: name) { try body(change) } }
            guard let end = page.last, page.count == batch else { return }
            last = end.0
        }
    }

    /// The entity of a row that was deleted by the change at `sequence`, in a table of several; nil where the log does not tell.
    package func deletedEntity(table: Int, at sequence: Int64) throws -> String? {
        guard layout.tables[table].isHierarchy else { return layout.entities(in: table).first?.name }
        return try connection.value("SELECT entity FROM _sluice_old_\(tableNumbers[table]) WHERE seq = ?", [.integer(sequence)])?.text
    }
}
