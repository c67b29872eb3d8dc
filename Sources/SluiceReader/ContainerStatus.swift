public import FoundationEssentials
public import SluiceSchema

/// What a helper finds in a group container.
public enum ContainerStatus: Hashable, Sendable {
    /// There is no container, or no store in it yet.
    case noStore
    /// The synced store is migrating. The local store, where there is one, stays readable as it was before.
    case migrating(MigrationProgress, LocalStoreSummary?)
    case current(LocalStoreSummary)
    /// There is a store, and why it cannot be read.
    case unavailable(ReaderError)
}

/// One state of a local store.
public struct LocalStoreSummary: Hashable, Sendable {
    /// The name of its file in the container.
    public let file: String
    public let schemaName: String
    public let schemaVersion: SchemaVersion
    /// Grows with every state that helpers can see.
    public let generation: Int64
    /// When the coordinator last finished a sync; nil before the first.
    public let lastSync: Date?

    /// Whether the last sync is longer ago than `limit`, or never was.
    public func isStale(at now: Date, limit: Duration) -> Bool {
        guard let lastSync else { return true }
        return now.timeIntervalSince(lastSync) > limit / .seconds(1)
    }
}
