import Foundation
package import SluiceGroup
package import SluiceHTTPClient
package import SluiceSchema
package import SluiceSync

/// The group container of an account.
package struct GroupPlan: Sendable, Hashable {
    package var directory: String
    package var unixGroup: String?
    package var projections: [Projection]

    package init(directory: String, unixGroup: String?, projections: [Projection]) {
        self.directory = directory
        self.unixGroup = unixGroup
        self.projections = projections
    }
}

/// Everything one account needs to run, resolved and checked; made from its configuration file.
package struct AccountPlan: Sendable {
    package var name: String
    package var stateDirectory: String
    package var schema: Schema
    /// The zone on the service; also the namespace of natural-key record names.
    package var zone: String
    package var service: ServiceAddress
    package var http: HTTPClientConfiguration
    package var credentials: @Sendable () throws -> Credentials
    /// By entity name.
    package var policies: [String: ConflictPolicy] = [:]
    /// How often the service is asked even when nothing said so.
    package var pollInterval: Duration = .seconds(300)
    /// How long a local change waits for company before it is sent.
    package var pushDelay: Duration = .milliseconds(50)
    package var historyRetention: Duration = .seconds(30 * 86_400)
    /// The group container to fill; nil where nobody but the coordinator reads.
    package var group: GroupPlan?

    package init(
        name: String, stateDirectory: String, schema: Schema, zone: String, service: ServiceAddress, http: HTTPClientConfiguration,
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
