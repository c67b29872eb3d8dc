// What two sides did to one record without knowing of each other, and what became of it: for people who miss something. Kept beside the rows, in
// the transaction that decided; the newest `conflictCountMax` of them.

package import SluiceSchema
import SluiceSQLite

/// One decision of a merge.
package struct SyncConflict: Hashable, Sendable {
    package enum Kind: String, Sendable {
        /// Both sides changed a field.
        case field
        /// The record was deleted elsewhere and edited here, or the other way round.
        case deletion
        /// Two records with the same unique values became one.
        case unique
    }

    package enum Outcome: String, Sendable {
        /// What the service had stands.
        case service
        /// What this device had stands.
        case device
        /// Something of both.
        case both
    }

    package var name: RecordName
    package var entity: String
    package var kind: Kind
    package var outcome: Outcome
    /// The property, of a conflict of fields.
    package var property: String?
    /// The record that the other one became part of, of a unique conflict.
    package var heir: RecordName?
    /// The values as `ScalarForm` writes them; nil for none, and for what is longer than `valueCharactersMax`.
    package var here: String?
    package var there: String?

    package init(
        _ name: RecordName, entity: String, kind: Kind, outcome: Outcome, property: String? = nil, heir: RecordName? = nil, here: String? = nil,
        there: String? = nil
    ) {
        (self.name, self.entity, self.kind, self.outcome) = (name, entity, kind, outcome)
        (self.property, self.heir) = (property, heir)
        self.here = here.flatMap { $0.count > Self.valueCharactersMax ? nil : $0 }
        self.there = there.flatMap { $0.count > Self.valueCharactersMax ? nil : $0 }
    }

    package static let valueCharactersMax = 1_000
}

/// A decision with its place in the list and its time, in milliseconds since 1970.
package struct NotedConflict: Hashable, Sendable {
    package let number: Int64
    package let time: Int64
    package let conflict: SyncConflict
}

extension Store {
    package static let conflictCountMax: Int64 = 1_000

    package func note(_ conflict: SyncConflict) throws {
        let milliseconds = nowMilliseconds
        try connection.run(
            "INSERT INTO _sluice_conflict(at, id, entity, kind, outcome, property, heir, here, there) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(milliseconds), conflict.name.stored, .text(conflict.entity), .text(conflict.kind.rawValue), .text(conflict.outcome.rawValue),
                SQLiteValue(conflict.property), conflict.heir?.stored ?? .null, SQLiteValue(conflict.here), SQLiteValue(conflict.there),
            ])
        try connection.run("DELETE FROM _sluice_conflict WHERE number <= ?", [.integer(connection.lastInsertRowID - Self.conflictCountMax)])
    }

    package func forgetConflicts() throws { try connection.run("DELETE FROM _sluice_conflict") }

    /// The newest first.
    /// - Parameters:
    ///   - number: only older ones than this.
    ///   - name: only those of this record.
    package func conflicts(before number: Int64 = .max, of name: RecordName? = nil, limit: Int) throws -> [NotedConflict] {
        try connection.rows(
            """
            SELECT number, at, id, entity, kind, outcome, property, heir, here, there FROM _sluice_conflict
                WHERE number < ?1 AND (?2 IS NULL OR id = ?2 OR heir = ?2) ORDER BY number DESC LIMIT ?3
            """, [.integer(number), name?.stored ?? .null, SQLiteValue(limit)]
        ) { row in
            guard let name = RecordName(stored: row.value(2)), let kind = SyncConflict.Kind(rawValue: row.text(4)),
                let outcome = SyncConflict.Outcome(rawValue: row.text(5))
            else { return nil }
            return NotedConflict(
                number: row.integer(0), time: row.integer(1),
                conflict: SyncConflict(
                    name, entity: row.text(3), kind: kind, outcome: outcome, property: row.value(6).text, heir: RecordName(stored: row.value(7)),
                    here: row.value(8).text, there: row.value(9).text))
        }.compactMap { $0 }
    }
}
