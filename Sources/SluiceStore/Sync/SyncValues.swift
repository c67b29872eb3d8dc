package import SluiceSQLite

/// Single values that sync keeps in the store.
package enum SyncKey: String, Sendable {
    /// Log position up to which the outbox has seen changes.
    case drained
    /// Log position up to which history was deleted before the outbox first looked: rows from then are sent as they are.
    case cut
    /// The service's token for the rows as they are; written with them.
    case token
    /// Change tags that the service answered with and the token does not cover yet, the oldest first, with spaces between.
    case seenTags
    /// The service's epoch that the token and the tags belong to.
    case epoch
    /// The user the rows belong to, as the service names them.
    case user
    /// The service the rows belong to: its URL, container and environment.
    case service
    /// This copy of the store, as other devices see it.
    case device
    /// Where the store was set back to an older state: the copies that it was before, with commas between, and the log position up to which
    /// their edits are here.
    case formerDevices
    case restoredAt
    /// Number of the full fetch under way, and whether it is one; a crash in its middle goes on with it.
    case fullFetch
    /// The number of the last full fetch.
    case fetchNumber
    /// The last operation frozen before it.
    case fetchOperation
    /// 1 where everything is to be fetched anew once the present feed has come to its end: a migration brought what an earlier feed left out.
    case refetch
    /// Why the zone that the rows belonged to was deleted, until a person says what is to become of it.
    case deletedZone
    /// Milliseconds since 1970 of the last time that a token counted as expired on no more than a refusal.
    case presumedExpiry
    /// Milliseconds since 1970 of the last time that the service refused merge metadata; 0 where it is to be tried again; nothing where it takes it.
    case metadataRefused
    /// 1 while a person has paused sync.
    case paused
    /// Milliseconds since 1970 of the last time everything was in step.
    case lastSuccess
}

extension Store {
    package func syncValue(_ key: SyncKey) throws -> SQLiteValue? {
        try connection.value("SELECT value FROM _sluice_sync WHERE key = ?", [.text(key.rawValue)])
    }

    package func setSyncValue(_ value: SQLiteValue, for key: SyncKey) throws {
        try connection.run(
            "INSERT INTO _sluice_sync(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
            [.text(key.rawValue), value])
    }
}
