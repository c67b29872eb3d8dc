import SluiceSync

/// What one account is doing, as `sluice status --json` prints it. A published contract: keys are only added.
package struct AccountStatus: Codable, Hashable, Sendable {
    package var account: String
    /// One of `states`.
    package var state: String
    /// Why it waits or is blocked.
    package var reason: String?
    /// What a person does about it.
    package var advice: String?
    /// When it is tried again, in milliseconds since 1970.
    package var until: Int64?
    package var service: String?
    package var zone: String?
    package var user: String?
    package var proxy: String?
    /// Records with unsent changes.
    package var pending = 0
    package var inFlight = 0
    package var setAside: [SetAside] = []
    package var setAsideCount = 0
    /// Records of the feed that wait for others.
    package var inbox = 0
    package var parked = 0
    /// When the oldest unsent change was made, in milliseconds since 1970.
    package var oldestChange: Int64?
    /// The last time everything was in step, in milliseconds since 1970.
    package var lastSuccess: Int64?
    /// The stage that a migration of the store has come to; nil while it is backed up, and where none runs.
    package var migration: MigrationStatus?
    /// Rows per entity.
    package var entities: [String: Int] = [:]
    package var digest: String?
    /// Legacy sources, in the account file's order.
    package var legacy: [LegacyStatus] = []
    /// The group container that is filled.
    package var group: String?
    /// Why the group container is behind, or who keeps its log from being emptied.
    package var groupProblem: String?
    /// The synced key-value store; nil where the account keeps none.
    package var keyValues: KeyValueStatus?
    /// `refused`: the service keeps no merge metadata, so `serverWins` decides where `latestEdit` or `counter` would. Nil: it does, as far as is known.
    package var mergeMetadata: String?
    /// `full`: an acknowledged change is on disk.
    package var durability = "full"
    /// Another number after each change; `?after=` waits for one. Nil from a coordinator that is older, and from none.
    package var revision: Int64?

    /// Every word that `state` may be.
    package static let states = [
        "starting", "importing", "migrating", "idle", "pushing", "pulling", "waiting", "blocked", "paused", "quarantined", "stopped",
    ]

    /// What the synced key-value store is doing; the words are those of the account.
    package struct KeyValueStatus: Codable, Hashable, Sendable {
        package var state: String
        package var reason: String?
        package var advice: String?
        package var pending: Int

        init(_ status: AccountStatus) {
            (state, reason, advice, pending) = (status.state, status.reason, status.advice, status.pending)
        }
    }

    package struct SetAside: Codable, Hashable, Sendable {
        package var name: String
        package var entity: String
        package var reason: String

        package init(name: String, entity: String, reason: String) {
            self.name = name
            self.entity = entity
            self.reason = reason
        }
    }

    package init(account: String, state: String) {
        self.account = account
        self.state = state
    }

    /// What people are told of a service that keeps no merge metadata; nil where it does, as far as is known.
    package var metadataAdvice: String? {
        guard mergeMetadata == Self.refused else { return nil }
        return "the service's schema has no field sluice_meta: of two edits of the same its own stands (serverWins), of counters too; "
            + "add the field (BYTES) to every record type, then run `sluice sync`"
    }

    /// What `mergeMetadata` says of a service that keeps none.
    static let refused = "refused"

    /// An account that could not be started.
    package static func failed(_ account: String, _ error: any Error) -> AccountStatus {
        var status = AccountStatus(account: account, state: "blocked")
        status.reason = "\(error)"
        if case CoordinatorError.quarantined? = error as? CoordinatorError { status.state = "quarantined" }
        return status
    }

    mutating func show(_ state: SyncState) {
        (reason, advice, until) = (nil, nil, nil)
        switch state {
        case .idle: self.state = "idle"
        case .pushing: self.state = "pushing"
        case .pulling: self.state = "pulling"
        case .paused: self.state = "paused"
        case .waiting(let time, let why):
            self.state = "waiting"
            until = time
            reason = why.text
        case .blocked(let why):
            self.state = "blocked"
            reason = why.text
            advice = why.advice
        }
    }
}
