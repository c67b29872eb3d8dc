package import SluiceRecords

/// Everything that the service remembers: databases, zones, records, feeds, the ledger, credentials, and which files there are.
///
/// One protocol for every engine; the conformance suite says what they have in common. The rules that an implementation keeps:
///
/// 1. Nothing crosses databases: every call names one, and every row belongs to one.
/// 2. The writers of one zone are serialised. Versions come from the zone's sequence, assigned in the order of commits, so that a reader who
///    saw version n never meets a lower one later.
/// 3. One commit may carry many requests. A request that fails leaves nothing; a commit that fails fails all its requests and leaves
///    nothing of any, ledger included.
/// 4. Each commit draws one random nonce. A sync token is accepted only while the entry that it names has the nonce that it names.
package protocol RecordStorage: CredentialStorage, AssetStorage, InventoryStorage, RecordTypeStorage {
    /// The timeline of this storage.
    var epoch: Epoch { get async throws(StorageError) }

    func zones(in database: DatabaseID) async throws(StorageError) -> [Zone]
    /// One result per operation, each tried on its own.
    func modifyZones(_ operations: [ZoneOperation], in database: DatabaseID) async throws(StorageError) -> [ZoneResult]

    func modify(_ command: ModifyCommand) async throws(StorageError) -> ModifyOutcome
    /// One element per name; nil where there is no such record. Throws `tokenOfAnotherTimeline` where this timeline does not have what the reader has seen.
    func records(named names: [String], zone: ZoneID, knowing past: KnownPast, in database: DatabaseID) async throws(StorageError) -> [StoredRecord?]

    /// One page of the records of a type for which all filters hold, in the order of the query. Writes between pages: a record that nobody touches comes
    /// exactly once, one that is written comes where its values are when the page is read, so perhaps twice or not at all.
    func query(_ command: QueryCommand, in database: DatabaseID) async throws(StorageError) -> QueryPage

    func zoneChanges(_ query: FeedQuery, in database: DatabaseID) async throws(StorageError) -> FeedPage
    func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage
    /// Watches one database; register before reading what the wait depends on.
    func watch(_ database: DatabaseID) -> CommitWatch

    /// Forgets what is past its time: ledger entries, tombstones, and the log entries that only expired tokens name.
    func prune() async throws(StorageError)
    func statistics() async throws(StorageError) -> StorageStatistics
    /// Finishes what was accepted and closes. Later calls throw `unavailable`.
    func close() async
}

extension RecordStorage {
    /// The same for a reader that says nothing of what it has seen.
    package func records(named names: [String], zone: ZoneID, in database: DatabaseID) async throws(StorageError) -> [StoredRecord?] {
        try await records(named: names, zone: zone, knowing: KnownPast(), in: database)
    }
}

/// One user's private database in one container and environment.
package struct DatabaseID: Hashable, Sendable {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// What `/metrics` says about the contents.
package struct StorageStatistics: Hashable, Sendable {
    package var databases = 0
    package var zones = 0
    package var bytes: Int64 = 0

    package init() {}
}
