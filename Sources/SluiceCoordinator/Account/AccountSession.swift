import Foundation
import SluiceGroup
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

/// What an account works with while its store is open: the store, its journal, its group container. Owned by the account's actor.
final class AccountSession {
    let directory: StateDirectory
    let store: Store
    let journal: SyncJournal
    let exchange: SyncExchange
    private let plan: AccountPlan
    /// One for each group container, in the order of the plan.
    let localStores: [LocalStoreWriter]
    private var flight: FlightRecorder
    private var lastSuccess: Int64?
    private var dataVersion: Int64 = 0

    /// Opens the store. The caller holds the account's lock.
    /// - Parameter flight: under way; from now on the session's.
    /// - Parameter schema: as the store has it, or is to be made with.
    /// - Throws: `CoordinatorError`, `StoreError`, `SQLiteError`, `GroupError`.
    init(_ plan: AccountPlan, schema: Schema, in directory: StateDirectory, _ flight: FlightRecorder) throws {
        self.plan = plan
        self.directory = directory
        self.flight = flight
        var options = Store.Options(zone: plan.zone)
        options.owner = plan.owner
        store = try Store(path: directory.storePath, schema: schema, options: options)
        try Self.bind(store, to: plan)
        journal = try SyncJournal(store: store, zone: ZoneID(plan.zone), policies: plan.policies)
        exchange = SyncExchange(journal)
        lastSuccess = try store.syncValue(.lastSuccess)?.integer
        _ = try store.connection.checkpoint()
        localStores = try plan.groups.map { group in
            try LocalStoreWriter(
                group: GroupDirectory(preparing: group.directory, unixGroup: group.unixGroup),
                projections: group.projections.isEmpty ? Projection.everything(in: schema) : group.projections, privateStoreSchema: schema)
        }
        for (group, localStore) in zip(plan.groups, localStores) {
            try localStore.show(StoredDefaults(of: group.name, in: store).values(adopting: localStore.sharedValues))
        }
        dataVersion = try store.connection.dataVersion()
    }

    /// Rows belong to one database of one service; nothing crosses to another.
    private static func bind(_ store: Store, to plan: AccountPlan) throws {
        guard let bound = try store.syncValue(.service)?.text else {
            return try store.setSyncValue(.text(plan.service.identity), for: .service)
        }
        guard bound == plan.service.identity else { throw CoordinatorError.belongsElsewhere(account: plan.name, service: bound) }
    }

    /// When the last sync succeeded.
    var lastSync: Date? { lastSuccess.map { Date(timeIntervalSince1970: Double($0) / 1_000) } }

    /// Brings the local stores to the state of the synced one. One that cannot be filled does not keep the others behind.
    /// - Throws: what the first of them failed with.
    func project() throws {
        var failure: (any Error)?
        for localStore in localStores {
            do { try localStore.update(from: store, lastSync: lastSync) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Removes old local stores whose last reader has gone.
    func sweep() throws {
        for localStore in localStores where !localStore.retiredStores.isEmpty { try localStore.sweep() }
    }

    /// Removes files of external values that nothing needs any more, beside the synced store and in the group container.
    func collectExternalValues() throws {
        try store.collectExternalValues()
        for localStore in localStores { try localStore.collectExternalValues(from: store) }
    }

    /// Whether another program changed the store since this was last asked.
    func wasChangedElsewhere() throws -> Bool {
        let version = try store.connection.dataVersion()
        defer { dataVersion = version }
        return version != dataVersion
    }

    /// Notes on disk whether work is under way.
    func note(_ activity: Activity) {
        switch activity {
        // A full disk must not end an account that only wants to say that it works.
        case .working: try? flight.takeOff()
        case .resting: flight.rest()
        case .done: flight.land()
        }
    }

    enum Activity { case working, resting, done }

    /// Milliseconds between two notes of success on disk.
    private static let successInterval: Int64 = 60_000

    func noteSuccess(at milliseconds: Int64) throws {
        if milliseconds - (lastSuccess ?? 0) > Self.successInterval { try store.setSyncValue(.integer(milliseconds), for: .lastSuccess) }
        lastSuccess = milliseconds
    }

    private static let shownSetAsideCount = 20

    func status(at milliseconds: Int64) -> AccountStatus {
        var status = AccountStatus(account: plan.name, state: "starting")
        status.service = "\(plan.service.url.absoluteString) \(plan.service.container) \(plan.service.environment.rawValue)"
        status.zone = plan.zone
        status.lastSuccess = lastSuccess
        status.group = plan.group?.directory
        let problems = localStores.compactMap { $0.blockedCheckpoint.map { "\($0)" } }
        status.groupProblem = problems.isEmpty ? nil : problems.joined(separator: "; ")
        do {
            let summary = try store.outboxSummary(at: milliseconds)
            status.user = try store.syncValue(.user)?.text
            status.mergeMetadata = try exchange.journal.metadataIsRefused ? AccountStatus.refused : nil
            status.pending = summary.pendingCount
            status.inFlight = summary.frozenCount
            status.setAsideCount = summary.setAsideCount
            status.inbox = summary.inboxCount
            status.parked = summary.parkedCount
            status.oldestChange = summary.oldestChange
            status.setAside = try store.setAsideRecords(limit: Self.shownSetAsideCount).map {
                .init(name: $0.name.text, entity: $0.table, reason: $0.reason)
            }
        } catch { status.reason = "\(error)" }
        return status
    }

    /// Rows per entity, counted now.
    func entityCounts() throws -> [String: Int] {
        try store.read {
            try Dictionary(
                uniqueKeysWithValues: store.layout.sortedEntities.filter { !$0.isAbstract }.map { entity in
                    (entity.name, try store.exactCount(of: entity))
                })
        }
    }

    func close() {
        flight.land()
        do {
            if let lastSuccess { try store.setSyncValue(.integer(lastSuccess), for: .lastSuccess) }
            _ = try store.connection.checkpoint()
        } catch {
            // The log is replayed at the next start; closing must not fail for it.
            return
        }
    }
}
