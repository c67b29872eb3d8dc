public import SluiceSchema

/// Why a helper got no rows: what is wrong with which file, and what to do next. Never an empty answer instead.
public enum ReaderError: Error, Hashable, Sendable {
    case invalidGroupName(String)
    /// There is no container, or no store in it yet.
    case noStore(path: String)
    /// The pointer names a store that is not there.
    case storeIsMissing(path: String)
    case notPermitted(path: String)
    case damaged(path: String, reason: String)
    /// Written by a newer Sluice than the one this helper was built with.
    case storeIsNewer(path: String)
    /// The store's schema is older than the helper needs.
    case migrationRequired(path: String, found: SchemaVersion, wanted: SchemaVersion)
    /// The first store is being made, or migrated; there is nothing to read yet.
    case migrating(path: String, MigrationProgress)
    /// The store cannot be opened at this moment: its coordinator must open it once, or is busy with it.
    case unavailable(path: String, reason: String)
    /// The read took longer than its bound.
    case tookTooLong(path: String, limit: Duration)
    /// A filter, an order or an entity that does not fit the store's schema.
    case query(FilterError)

    /// The status a helper exits with, from `sysexits.h`.
    public var exitStatus: Int32 {
        switch self {
        case .invalidGroupName, .query: 64
        case .damaged: 65
        case .noStore, .storeIsMissing: 66
        case .migrating, .unavailable, .tookTooLong: 75
        case .notPermitted: 77
        case .storeIsNewer, .migrationRequired: 78
        }
    }
}

extension ReaderError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidGroupName(let name): "\"\(name)\" is no name of a group: it is one path component"
        case .noStore(let path): "there is no store in \(path) yet: start its coordinator, or name another group"
        case .storeIsMissing(let path): "\(path) is named as the current store, but is not there: its coordinator makes it again"
        case .notPermitted(let path): "this user may not read \(path): add the user to the group that owns it"
        case .damaged(let path, let reason): "\(path) is damaged (\(reason)): its coordinator makes it again"
        case .storeIsNewer(let path): "\(path) was written by a newer Sluice: update this program"
        case .migrationRequired(let path, let found, let wanted):
            "\(path) has schema version \(found), this needs \(wanted): let the coordinator migrate it"
        case .migrating(let path, let progress):
            "\(path) is migrating (stage \(progress.stage) of \(progress.stageCount), \(progress.stageName)): try again later"
        case .unavailable(let path, let reason): "\(path) cannot be read now (\(reason)): try again later"
        case .tookTooLong(let path, let limit): "reading \(path) took longer than \(limit): ask for fewer rows"
        case .query(let error): "\(error)"
        }
    }
}
