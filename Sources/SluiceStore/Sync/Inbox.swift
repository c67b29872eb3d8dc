package import Foundation
import SluiceSQLite
package import SluiceSchema

/// A record of the feed that could not be applied when it came.
package struct InboxRecord: Sendable {
    package let name: RecordName
    /// The record as it came, encoded.
    package let body: Data
    package let reason: String
    package let isParked: Bool
}

extension Store {
    /// Keeps a record until the end of the feed, or parks it for as long as what it needs does not come.
    package func keepInInbox(_ name: RecordName, type: String?, body: Data, reason: String, isParked: Bool) throws {
        try connection.run(
            """
            INSERT INTO _sluice_inbox(id, type, body, reason, parked) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT(id) DO UPDATE SET type = ?2, body = ?3, reason = ?4, parked = ?5
                WHERE type IS NOT ?2 OR body <> ?3 OR reason <> ?4 OR parked <> ?5
            """, [name.stored, SQLiteValue(type), .blob(body), .text(reason), .integer(isParked ? 1 : 0)])
    }

    /// Whether a record of that type waits for the end of the feed.
    package func inboxHolds(type: String) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_inbox WHERE type = ? AND parked = 0 LIMIT 1", [.text(type)]) != nil
    }

    /// Whether something of that name waits for the end of the feed.
    package func inboxHolds(_ name: RecordName) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_inbox WHERE id = ?", [name.stored]) != nil
    }

    /// Keeps a deletion until the end of the feed: what it means depends on what else comes.
    package func keepTombstoneInInbox(_ name: RecordName, body: Data) throws {
        try keepInInbox(name, type: nil, body: body, reason: Self.tombstoneReason, isParked: false)
    }

    private static let tombstoneReason = "deleted"

    package func inboxHoldsTombstone(of name: RecordName) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_inbox WHERE id = ? AND type IS NULL AND reason = ?", [name.stored, .text(Self.tombstoneReason)]) != nil
    }

    /// Why a version waits that does not tell whether it is from before or after an operation on its way. One whose operation was saved is from
    /// after it, or that would have been refused.
    package static let answerReason = "an operation with it is on its way"

    func inboxWaitsForAnswer(_ name: RecordName) throws -> Bool {
        try connection.value("SELECT 1 FROM _sluice_inbox WHERE id = ? AND reason = ?", [name.stored, .text(Self.answerReason)]) != nil
    }

    package func removeFromInbox(_ name: RecordName) throws {
        try connection.run("DELETE FROM _sluice_inbox WHERE id = ?", [name.stored])
    }

    /// Everything that waits is to come again.
    package func emptyInbox() throws { try connection.run("DELETE FROM _sluice_inbox") }

    package func inbox(limit: Int, after name: RecordName? = nil) throws -> [InboxRecord] {
        try connection.rows(
            "SELECT id, body, reason, parked FROM _sluice_inbox WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2",
            [name?.stored ?? .null, SQLiteValue(limit)]
        ) { statement in
            RecordName(stored: statement.value(0)).map {
                InboxRecord(name: $0, body: statement.data(1), reason: statement.text(2), isParked: statement.integer(3) == 1)
            }
        }.compactMap { $0 }
    }
}
