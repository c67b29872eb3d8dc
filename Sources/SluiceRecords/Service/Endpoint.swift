/// What a request asks for: the last part of its path.
package enum Endpoint: String, Hashable, Sendable, CaseIterable {
    case usersCaller = "users/caller"
    case usersCurrent = "users/current"
    case zonesList = "zones/list"
    case zonesLookup = "zones/lookup"
    case zonesModify = "zones/modify"
    case recordsModify = "records/modify"
    case recordsLookup = "records/lookup"
    case recordsQuery = "records/query"
    /// Deprecated; `zoneChanges` for one zone.
    case recordsChanges = "records/changes"
    case zoneChanges = "changes/zone"
    case databaseChanges = "changes/database"
    case assetsUpload = "assets/upload"
    case assetsRereference = "assets/rereference"
}

package enum ServiceEnvironment: String, Hashable, Sendable, CaseIterable {
    case development, production
}

package enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
    case `public`, `private`, shared
}

/// A database of a service and, with an endpoint, the path of a request:
/// `/database/1/{container}/{environment}/{scope}/{endpoint}`.
package struct DatabasePath: Hashable, Sendable {
    package var container: String
    package var environment: ServiceEnvironment
    package var scope: DatabaseScope

    package init(container: String, environment: ServiceEnvironment, scope: DatabaseScope) {
        self.container = container
        self.environment = environment
        self.scope = scope
    }

    package func path(of endpoint: Endpoint) -> String { "/database/1/\(container)/\(environment.rawValue)/\(scope.rawValue)/\(endpoint.rawValue)" }

    /// Splits a path into its database and the endpoint's text, which may be one that this version does not serve.
    /// Nil where it is no path of the dialect.
    package static func parse(_ path: String) -> (database: DatabasePath, endpoint: String)? {
        // By bytes: this is asked of every request, and characters take much longer.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true).map { Substring($0) }
        guard parts.count >= 7, parts[0] == "database", parts[1] == "1", let environment = ServiceEnvironment(rawValue: String(parts[3])),
            let scope = DatabaseScope(rawValue: String(parts[4]))
        else { return nil }
        let database = DatabasePath(container: String(parts[2]), environment: environment, scope: scope)
        return (database, parts[5...].joined(separator: "/"))
    }
}
