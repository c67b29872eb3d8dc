/// The top of a schema file.
enum SchemaKey: String, SectionKey {
    case schema
    case version
    case entities
    case migration
}

enum EntityKey: String, SectionKey {
    case wireName
    case extends
    case abstract
    case localOnly
    case identity
    case unique
    case index
    case attributes
    case relationships
}

enum AttributeKey: String, SectionKey {
    case type
    case optional
    case `default`
    case unique
    case external
    case wireName
    case preserveOnDeletion
    case hashModifier
}

enum RelationshipKey: String, SectionKey {
    case to
    case toMany
    case optional
    case ordered
    case inverse
    case deleteRule
    case minimum
    case maximum
    case wireName
}

/// What leads to a version from the one before.
enum MigrationKey: String, SectionKey {
    case discard
    case before
    case after
}

/// One edit of a migration.
enum MigrationEditKey: String, SectionKey {
    case entity
    case `where`
    case set
    case delete
}
