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
    /// Properties that go for good, as `"Item.oldName"`: ours. A property that goes while one of its type comes may have been renamed; a
    /// lightweight stage asks which it was, and this is one answer. The other is `@Attribute(originalName:)` on the new one.
    static var discardedProperties: Set<String> { get }
}

extension SchemaMigrationPlan {
    public static var discardedProperties: Set<String> { [] }
}
