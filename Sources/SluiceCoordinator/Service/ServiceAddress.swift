package import Foundation
package import SluiceRecords

/// Which database of which record service an account belongs to.
package struct ServiceAddress: Hashable, Sendable {
    package let url: URL
    package let container: String
    package let environment: ServiceEnvironment

    package init(url: URL, container: String, environment: ServiceEnvironment) {
        self.url = url
        self.container = container
        self.environment = environment
    }

    /// What the rows of a store are bound to: the same text for the same database.
    package var identity: String { "\(url.absoluteString)|\(container)|\(environment.rawValue)" }
}

/// The secrets of one account, read when they are needed and never shown.
package struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let apiToken: String?
    let userToken: String
    /// The token that the account file points at; `userToken` may have rotated away from it.
    let configuredToken: String

    package init(apiToken: String?, userToken: String) {
        self.init(apiToken: apiToken, userToken: userToken, configuredToken: userToken)
    }

    init(apiToken: String?, userToken: String, configuredToken: String) {
        self.apiToken = apiToken
        self.userToken = userToken
        self.configuredToken = configuredToken
    }

    package var description: String { "credentials" }
    package var debugDescription: String { "credentials" }
}
