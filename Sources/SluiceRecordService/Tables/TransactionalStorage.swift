// What all storages have in common: the tables, the rules and the transactions. They differ in how a transaction gets its connection, and in
// whom it keeps out.

package import Foundation
package import SluiceRecords
import SluiceSQLite

/// Whom a write keeps out until it has committed: at least the other writers of the same.
package enum WriteScope: Hashable, Sendable {
    case database(DatabaseID)
    /// Tokens, and which databases there are.
    case registry
    /// Everything; only where one writer has all of it.
    case all
}

/// Storage in tables, by way of transactions.
package protocol TransactionalStorage: RecordStorage {
    var environment: StorageEnvironment { get }
    var signal: CommitSignal { get }

    /// Runs `body` in a transaction that is on disk when this returns, perhaps with others.
    /// - Parameter weight: how much it writes, beside one record.
    func write<Result: Sendable>(
        to scope: WriteScope, weight: Int, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result
    /// Runs `body` in one read transaction.
    func read<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result
    /// The same for a row or two that keys lead to; it may be done at once, on the thread of who asks.
    func lookUp<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result
    /// The same for what looks at everything; it keeps no `read` waiting.
    func scan<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result
}

extension TransactionalStorage {
    package func lookUp<Result: Sendable>(_ body: @escaping @Sendable (FeedReading) throws -> Result) async throws(StorageError) -> Result {
        try await read(body)
    }

    private func write<Result: Sendable>(
        to scope: WriteScope, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws(StorageError) -> Result {
        try await write(to: scope, weight: 1, body)
    }

    // MARK: Zones

    package func zones(in database: DatabaseID) async throws(StorageError) -> [Zone] {
        try await read { reading in try ZoneRow.all(in: database, on: reading.connection).map { $0.zone(reading.epoch) } }
    }

    package func modifyZones(_ operations: [ZoneOperation], in database: DatabaseID) async throws(StorageError) -> [ZoneResult] {
        try await write(to: .database(database)) { transaction in
            try operations.map { try transaction.modifyZone($0, in: database, epoch: transaction.epoch) }
        }
    }

    // MARK: Records

    package func modify(_ command: ModifyCommand) async throws(StorageError) -> ModifyOutcome {
        try await write(to: .database(command.database), weight: command.elements.count) { try $0.modify(command) }
    }

    package func records(
        named names: [String], zone: ZoneID, knowing past: KnownPast, in database: DatabaseID
    ) async throws(StorageError) -> [StoredRecord?] {
        try await read { try $0.records(named: names, zone: zone, knowing: past, in: database) }
    }

    package func query(_ command: QueryCommand, in database: DatabaseID) async throws(StorageError) -> QueryPage {
        try await scan { try QueryReading(connection: $0.connection).page(command, in: database) }
    }

    // MARK: Feeds

    package func zoneChanges(_ query: FeedQuery, in database: DatabaseID) async throws(StorageError) -> FeedPage {
        try await read { try $0.zonePage(query, in: database) }
    }

    package func databaseChanges(since token: SyncToken?, limit: Int, in database: DatabaseID) async throws(StorageError) -> DatabaseFeedPage {
        try await read { try $0.databasePage(since: token, limit: limit, in: database) }
    }

    package func watch(_ database: DatabaseID) -> CommitWatch { signal.watch(database) }

    // MARK: Files

    package func addAsset(_ asset: StoredAsset, quota: Int64, in database: DatabaseID) async throws(StorageError) {
        try await write(to: .database(database)) { try $0.addAsset(asset, quota: quota, in: database) }
    }

    package func assets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        try await read { reading in
            try assets.map { try AssetReading(connection: reading.connection).asset($0, in: database.rawValue) }
        }
    }

    package func keepAssets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        guard !assets.isEmpty else { return [] }
        return try await write(to: .database(database), weight: assets.count) { transaction in
            try assets.map { try transaction.keepAsset($0, in: database) }
        }
    }

    package func forgetAssets(unusedSince time: Int64, limit: Int) async throws(StorageError) -> [ForgottenAsset] {
        // Mostly there is none, and nobody should commit for that.
        guard try await read({ try AssetReading(connection: $0.connection).hasUnused(since: time) }) else { return [] }
        return try await write(to: .all, weight: limit) { try $0.forgetAssets(unusedSince: time, limit: limit) }
    }

    // MARK: Credentials

    package func addToken(_ token: NewToken) async throws(StorageError) {
        try await write(to: .registry) { try $0.addToken(token) }
    }

    package func tokens() async throws(StorageError) -> [TokenSummary] {
        try await read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).tokens() }
    }

    package func revokeToken(id: Int64) async throws(StorageError) -> Bool {
        try await write(to: .registry) { try $0.revokeToken(id: id) }
    }

    package func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool {
        try await read { [environment] in
            try CredentialReading(connection: $0.connection, now: environment.now()).acceptsAPIToken(digest, path)
        }
    }

    package func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        try await lookUp { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).caller(digest, path) }
    }

    package func caller(rotatingTo digest: Data, successor: Data, for path: DatabasePath) async throws(StorageError) -> Caller? {
        let found = try await read { [environment] in
            try CredentialReading(connection: $0.connection, now: environment.now()).rotating(digest, path)
        }
        guard let (caller, isNext) = found else { return nil }
        if isNext { try await write(to: .registry) { try $0.rotateToken(id: caller.tokenID, to: digest, successor: successor) } }
        return caller
    }

    package func serverKey(identifier: Data, for path: DatabasePath) async throws(StorageError) -> ServerKey? {
        try await read { [environment] in try CredentialReading(connection: $0.connection, now: environment.now()).serverKey(identifier, path) }
    }

    // MARK: Record types

    package func recordFields(of container: String, _ environment: ServiceEnvironment) async throws(StorageError) -> [RecordField] {
        try await read { try RecordFieldReading(connection: $0.connection).fields(of: container, environment) }
    }

    package func addRecordFields(
        _ fields: [RecordField], to container: String, _ environment: ServiceEnvironment
    ) async throws(StorageError) {
        try await write(to: .registry) { try $0.addRecordFields(fields, to: container, environment) }
    }

    // MARK: Inventory

    package func databases(after database: DatabaseID?, limit: Int) async throws(StorageError) -> [DatabaseSummary] {
        try await scan { try InventoryReading(connection: $0.connection).databases(after: database, limit: limit) }
    }

    package func files(in database: DatabaseID, after asset: AssetID?, limit: Int) async throws(StorageError) -> [FileSummary] {
        try await scan { try InventoryReading(connection: $0.connection).files(in: database, after: asset, limit: limit) }
    }

    package func faults(in database: DatabaseID) async throws(StorageError) -> [String] {
        try await scan { try InventoryReading(connection: $0.connection).faults(in: database) }
    }

    // MARK: Upkeep

    package func statistics() async throws(StorageError) -> StorageStatistics {
        try await read { try $0.statistics() }
    }
}
