import Foundation
package import SluiceGroup
package import SluiceHTTPClient
package import SluiceImport
package import SluiceSchema
package import SluiceStore
package import SluiceSync

/// A group container of an account.
package struct GroupPlan: Sendable, Hashable {
    package var name: String
    package var directory: String
    package var unixGroup: String?
    /// Empty: every entity, whole.
    package var projections: [Projection]

    package init(name: String? = nil, directory: String, unixGroup: String?, projections: [Projection]) {
        self.name = name ?? directory.split(separator: "/").last.map(String.init) ?? directory
        self.directory = directory
        self.unixGroup = unixGroup
        self.projections = projections
    }
}

/// Stores from before Sluice, copied in on the first run.
package struct LegacyPlan: Sendable, Hashable {
    package struct Source: Sendable, Hashable {
        /// Absolute.
        package var path: String
        /// What the file has to be; nil takes whatever it is.
        package var kind: LegacyKind?
        /// What is called otherwise here, converted or left out.
        package var mapping: LegacyMapping?

        package init(path: String, kind: LegacyKind? = nil, mapping: LegacyMapping? = nil) {
            self.path = path
            self.kind = kind
            self.mapping = mapping
        }
    }

    /// In order.
    package var sources: [Source]
    /// How long staged copies are kept; nil for good.
    package var keep: Duration?

    package init(sources: [Source], keep: Duration?) {
        self.sources = sources
        self.keep = keep
    }
}

/// Everything one account needs to run, resolved and checked; made from its configuration file.
package struct AccountPlan: Sendable {
    package var name: String
    package var stateDirectory: String
    package var schema: SchemaPlan
    /// What leads to the schema from the versions before, as it concerns a store of some shape; nil where everything has to follow from the
    /// two shapes.
    package var upgradePlan: (@Sendable (_ held: Schema) throws -> UpgradePlan)?
    /// Without such a plan: defaults of the program's classes that are worked out for each row.
    package var supplied: @Sendable () -> [SuppliedValue] = { [] }
    /// The zone on the service; also the namespace of natural-key record names.
    package var zone: String
    package var service: ServiceAddress
    package var http: HTTPClientConfiguration
    package var credentials: @Sendable () throws -> Credentials
    /// Who wins where two devices changed the same.
    package var policies = MergePolicies()
    /// How often the service is asked even when nothing said so.
    package var pollInterval: Duration = .seconds(300)
    /// How long a local change waits for company before it is sent.
    package var pushDelay: Duration = .milliseconds(50)
    package var historyRetention: Duration = .seconds(30 * 86_400)
    /// The group containers to fill; none where nobody but the coordinator reads.
    package var groups: [GroupPlan] = []
    /// The first one: legacy stores are staged in it.
    package var group: GroupPlan? {
        get { groups.first }
        set { groups = newValue.map { [$0] } ?? [] }
    }
    package var legacy = LegacyPlan(sources: [], keep: nil)
    /// Whether a synced key-value store is kept beside the account.
    package var keepsKeyValues = false
    /// Whether this is one.
    var isKeyValueStore = false
    /// The state directory that keeps rotated user tokens; nil: the account's own.
    var tokenDirectory: String?

    /// The synced store.
    package var storePath: String { StateDirectory.storePath(in: stateDirectory) }

    /// Written into the store; another account's store is refused.
    var owner: String { "account \(name)" }

    package init(
        name: String, stateDirectory: String, schema: SchemaPlan, zone: String, service: ServiceAddress, http: HTTPClientConfiguration,
        credentials: @escaping @Sendable () throws -> Credentials
    ) {
        self.name = name
        self.stateDirectory = stateDirectory
        self.schema = schema
        self.zone = zone
        self.service = service
        self.http = http
        self.credentials = credentials
    }
}
