/// One step of a migration plan. All steps of one opening are one transaction: a step that throws leaves the store as it was.
public enum MigrationStage: Sendable {
    /// What follows from the two versions alone.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// The same, with code before and after it.
    ///
    /// `willMigrate` sees the old version only, `didMigrate` the new one only. What they change is saved when they return.
    @preconcurrency case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: (@Sendable (ModelContext) throws -> Void)?, didMigrate: (@Sendable (ModelContext) throws -> Void)?)
}

extension MigrationStage {
    package var fromVersion: any VersionedSchema.Type {
        switch self {
        case .lightweight(let version, _), .custom(let version, _, _, _): version
        }
    }

    package var toVersion: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let version), .custom(_, let version, _, _): version
        }
    }
}

extension MigrationStage: CustomDebugStringConvertible {
    public var debugDescription: String {
        let kind = if case .lightweight = self { "lightweight" } else { "custom" }
        return "MigrationStage.\(kind)(\(fromVersion) → \(toVersion))"
    }
}
