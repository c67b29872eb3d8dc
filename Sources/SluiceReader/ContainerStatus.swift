public import FoundationEssentials
public import SluiceSchema

/// What a helper finds in a group container.
public enum ContainerStatus: Hashable, Sendable {
    /// There is no container, or no store in it yet.
    case noStore
    case current(LocalStoreSummary)
    /// The last sync is longer ago than the reader wants; there was none where `since` is nil. The rows can be read.
    case stale(since: Date?, LocalStoreSummary)
    /// The synced store is migrating. The local store, where there is one, stays readable as it was before.
    case migrating(MigrationProgress, LocalStoreSummary?)
    /// The store's schema is older than the reader needs: its coordinator must migrate it.
    case migrationRequired(found: SchemaVersion, wanted: SchemaVersion)
    /// Written by a newer Sluice than the one this program was built with.
    case storeIsNewer(path: String)
    /// This user may not read the container, or a file in it.
    case notPermitted(path: String)
    /// There is a store, and why it cannot be read: it is damaged, or busy at the moment.
    case unavailable(ReaderError)

    package init(_ error: ReaderError) {
        switch error {
        case .noStore: self = .noStore
        case .migrationRequired(_, let found, let wanted): self = .migrationRequired(found: found, wanted: wanted)
        case .storeIsNewer(let path): self = .storeIsNewer(path: path)
        case .notPermitted(let path): self = .notPermitted(path: path)
        case .migrating(_, let progress): self = .migrating(progress, nil)
        default: self = .unavailable(error)
        }
    }

    /// The state of the local store; nil where there is nothing to read.
    public var summary: LocalStoreSummary? {
        switch self {
        case .current(let summary), .stale(_, let summary): summary
        case .migrating(_, let summary): summary
        default: nil
        }
    }

    /// One word for scripts and style sheets: the name of the case.
    public var word: String {
        switch self {
        case .noStore: "noStore"
        case .current: "current"
        case .stale: "stale"
        case .migrating: "migrating"
        case .migrationRequired: "migrationRequired"
        case .storeIsNewer: "storeIsNewer"
        case .notPermitted: "notPermitted"
        case .unavailable: "unavailable"
        }
    }

    /// The status a helper exits with, from `sysexits.h`: 0 for `current` alone.
    public var exitStatus: Int32 {
        switch self {
        case .current: 0
        case .noStore: 66
        case .stale, .migrating: 75
        case .notPermitted: 77
        case .migrationRequired, .storeIsNewer: 78
        case .unavailable(let error): error.exitStatus
        }
    }

    /// What keeps the rows from being read, in words; nil where they can be.
    /// - Parameter directory: the container's.
    public func problem(in directory: String) -> String? {
        let error: ReaderError
        switch self {
        case .current, .stale, .migrating(_, .some): return nil
        case .noStore: error = .noStore(path: directory)
        case .migrating(let progress, nil): error = .migrating(path: directory, progress)
        case .migrationRequired(let found, let wanted): error = .migrationRequired(path: directory, found: found, wanted: wanted)
        case .storeIsNewer(let path): error = .storeIsNewer(path: path)
        case .notPermitted(let path): error = .notPermitted(path: path)
        case .unavailable(let reason): error = reason
        }
        return "\(error)"
    }
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
