package import Foundation
package import SluiceDigest
package import SluiceRecords
import SluiceSync

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
    /// What requests prove with whom they come from.
    enum Proof: Sendable {
        /// - Parameters:
        ///   - api: a container's token, for a service that asks for one.
        ///   - configured: the token that the account file points at; `user` may have rotated away from it.
        case tokens(api: String?, user: String, configured: String)
        /// A server-to-server key signs each request.
        case signatures(SigningKey)
    }

    let proof: Proof

    package init(apiToken: String?, userToken: String) {
        self.init(.tokens(api: apiToken, user: userToken, configured: userToken))
    }

    package init(serverKey: SigningKey) { self.init(.signatures(serverKey)) }

    init(_ proof: Proof) { self.proof = proof }

    /// Tells what a person put there from what another did.
    var mark: CredentialMark {
        switch proof {
        case .tokens(let api, _, let configured): CredentialMark([api, configured])
        case .signatures(let key): CredentialMark([key.verificationKey.identifier.hexadecimal])
        }
    }

    package var description: String { "credentials" }
    package var debugDescription: String { "credentials" }
}
