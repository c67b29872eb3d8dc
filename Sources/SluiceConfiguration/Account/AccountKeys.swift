/// The top of an account file.
enum AccountKey: String, SectionKey {
    case service
    case credentials
    case schema
    case synced
    case local
    case legacy
    case schedule
    case retention
}

enum ServiceKey: String, SectionKey {
    case url
    case container
    case environment
    case zone
    case authoritiesFile
    case pinnedKeys
    case proxy
}

enum CredentialsKey: String, SectionKey {
    case apiTokenFile
    case apiTokenCredential
    case userTokenFile
    case userTokenCredential
    case serverKeyFile
    case serverKeyCredential
    case clientCertificateFile
    case clientKeyFile
    case clientKeyCredential
}

enum SchemaSourceKey: String, SectionKey {
    case path
    case fromLegacy
    case compiled
}

enum SyncedKey: String, SectionKey {
    case stateDirectory
    case entities
    case keyValues
}

enum SyncedEntityKey: String, SectionKey {
    case identity
    case conflicts
    case fields
    case deletions
}

enum LocalKey: String, SectionKey {
    case group
    case groupsDirectory
    case unixGroup
    case projections
}

enum ProjectionKey: String, SectionKey {
    case `where`
    case fields
    case derived
    case order
    case limit
    case freshness
}

enum LegacyKey: String, SectionKey {
    case sources
    case keep
}

enum LegacySourceKey: String, SectionKey {
    case path
    case kind
    case mapping
}

enum ScheduleKey: String, SectionKey {
    case poll
    case pushDelay
}

enum RetentionKey: String, SectionKey {
    case history
}
