package import Foundation
package import SluiceSchema
package import SluiceSync

/// Everything that one account file says, checked, with defaults filled in and paths absolute. It holds paths of secrets, never a secret.
package struct AccountConfiguration: Sendable {
    /// The file's name without its ending.
    package let name: String
    /// The file it came from.
    package let file: String
    package let service: ServiceConfiguration
    package let credentials: CredentialSources
    package let schema: SchemaSource
    package let synced: SyncedConfiguration
    /// The group containers that the account fills; never empty.
    package let groups: [LocalConfiguration]
    package let legacy: LegacyConfiguration
    package let schedule: ScheduleConfiguration
    /// How long history is kept after everybody who reads it has passed.
    package let historyRetention: Duration

    /// The first group container; legacy stores are staged in it.
    package var local: LocalConfiguration { groups[0] }

    /// The zone of the account: what the file says, else the schema's name.
    package func zone(for schema: Schema) -> String { service.zone ?? schema.name }

    /// Where the coordinator listens for `sluice`.
    package var controlSocketPath: String { synced.stateDirectory + "/control.sock" }
}

package struct ServiceConfiguration: Sendable {
    package enum Environment: String, Sendable, CaseIterable {
        case development
        case production
    }

    package enum Proxy: Hashable, Sendable {
        case none
        case environment
        case url(String)
    }

    package let url: URL
    package let container: String
    package let environment: Environment
    package let zone: String?
    package let authoritiesFile: String?
    /// SHA-256 sums of public keys, in base64; empty: any that a trusted certificate has.
    package let pinnedKeys: [String]
    package let proxy: Proxy
}

package struct CredentialSources: Hashable, Sendable {
    package let apiToken: CredentialSource?
    package let userToken: CredentialSource?
    /// The private key that signs requests, in the tokens' place.
    package let serverKey: CredentialSource?
    /// What to show to a service that asks for a certificate.
    package let client: ClientCertificate?

    package struct ClientCertificate: Hashable, Sendable {
        package let certificateFile: String
        package let key: CredentialSource
    }
}

package enum SchemaSource: Sendable {
    /// The versions that are known, the oldest first; never empty.
    case versions([SchemaRelease])
    /// The schema is made from the first legacy source.
    case legacy
    /// The program that embeds the coordinator has it in its model classes.
    case compiled
}

package struct SyncedConfiguration: Sendable {
    package struct EntityRule: Hashable, Sendable {
        /// Instead of what the schema says.
        package let identity: [String]?
        /// Who wins; nil: as with the entity that it inherits from.
        package let conflicts: ConflictPolicy?
        /// The same for single fields, by property name.
        package var fields: [String: ConflictPolicy] = [:]
        /// What wins where a record was deleted and edited; nil: as with the entity that it inherits from.
        package var deletions: DeletionPolicy?
    }

    /// The account's own directory.
    package let stateDirectory: String
    /// By entity name. Entities that are not named use the defaults.
    package let entities: [String: EntityRule]
    /// Whether a synced key-value store is kept beside the records.
    package let keepsKeyValues: Bool

    /// Who wins where two devices changed the same.
    package var policies: MergePolicies {
        MergePolicies(entities.mapValues { EntityMergePolicy(conflicts: $0.conflicts, fields: $0.fields, deletions: $0.deletions) })
    }
}

package struct LocalConfiguration: Sendable {
    package struct Projection: Hashable, Sendable {
        package struct SortKey: Hashable, Sendable {
            package let field: String
            package let isDescending: Bool
        }

        /// A value that is worked out from others, and the name that helpers find it by.
        package struct DerivedField: Hashable, Sendable {
            package let name: String
            package let expression: String
        }

        package let entity: String
        /// The predicate's text. Nil: all rows.
        package let condition: String?
        /// Nil: all fields.
        package let fields: [String]?
        package let derived: [DerivedField]
        package let order: [SortKey]
        package let limit: Int?
        /// Nil: helpers decide for themselves what is stale.
        package let freshness: Duration?
    }

    package let group: String
    package let groupsDirectory: String
    /// The Unix group whose members are helpers. Nil: the coordinator's own group.
    package let unixGroup: String?
    /// In the file's order. Empty: every entity, whole.
    package let projections: [Projection]

    package var groupDirectory: String { groupsDirectory + "/" + group }
}

package struct LegacyConfiguration: Sendable {
    package struct Source: Hashable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            case auto
            case coredata
            case sluice
            case json
        }

        package let path: String
        package let kind: Kind
        /// What is called otherwise here, converted or left out.
        package var mapping: LegacyMapping?
        /// Where the account file names it.
        package var position = Position.top
    }

    package let sources: [Source]
    /// How long staged copies are kept after the import. Nil: for good.
    package let keep: Duration?
}

package struct ScheduleConfiguration: Hashable, Sendable {
    /// How often changes are asked for when nothing announces them.
    package let poll: Duration
    /// How long a change waits for others before it is sent.
    package let pushDelay: Duration
}
