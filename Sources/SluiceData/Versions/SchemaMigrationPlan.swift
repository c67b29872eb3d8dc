/// How a store gets from each released version to the newest.
///
///     enum NotesMigrationPlan: SchemaMigrationPlan {
///         static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
///         static var stages: [MigrationStage] { [.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)] }
///     }
public protocol SchemaMigrationPlan: SendableMetatype {
    /// Every released version, the oldest first. Versions stay here as long as stores of theirs may exist.
    static var schemas: [any VersionedSchema.Type] { get }
    static var stages: [MigrationStage] { get }
}
