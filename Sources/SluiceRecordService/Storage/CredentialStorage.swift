package import Foundation
package import SluiceRecords

/// The credentials that a service accepts. Tokens are known by their SHA-256 only, keys by their public half.
package protocol CredentialStorage: Sendable {
    /// Adds a token or a key; with the user that it is bound to, and their database, where they are not there yet.
    /// - Throws: `credentialExists` for a key that was added before, also where it is revoked.
    func addToken(_ token: NewToken) async throws(StorageError)
    /// Tokens and keys, in the order in which they were added.
    func tokens() async throws(StorageError) -> [TokenSummary]
    /// False where there is no such token, or it was revoked before.
    func revokeToken(id: Int64) async throws(StorageError) -> Bool
    /// Whether an API token of that digest is valid for the container and environment.
    func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool
    /// Whom a user token names; nil where it is unknown, expired, revoked, or of another container or environment.
    func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller?
    /// Whom a rotating token names that `caller` does not know: the successor of the current one, which is current from now on, or the one before,
    /// for as long as that is good.
    /// - Parameter successor: the digest of the token that comes after the one in question.
    func caller(rotatingTo digest: Data, successor: Data, for path: DatabasePath) async throws(StorageError) -> Caller?
    /// The server-to-server key of that identifier; nil where it is unknown, expired, revoked, or of another container or environment.
    func serverKey(identifier: Data, for path: DatabasePath) async throws(StorageError) -> ServerKey?
}

/// A token or a key that was just made.
package struct NewToken: Sendable {
    package enum Kind: Sendable {
        case api
        /// - Parameters:
        ///   - user: the operator's name for the person.
        ///   - holder: the device or program that uses it; the scope of its operation ids.
        case user(name: String, holder: String)
        /// A server-to-server key, bound to one user: `publicKey` is its public half in DER. Its `digest` is its identifier.
        case serverKey(publicKey: Data, user: String, holder: String)
    }

    /// How a user token gives way to others.
    package struct Rotation: Sendable {
        package var kind: TokenRotation
        /// The digest of the token that comes after this one.
        package var successor: Data

        package init(_ kind: TokenRotation, successor: Data) {
            self.kind = kind
            self.successor = successor
        }
    }

    package var kind: Kind
    package var digest: Data
    /// Nil: the token stays as it is.
    package var rotation: Rotation?
    package var container: String
    package var environment: ServiceEnvironment
    /// Milliseconds since 1970; nil: never.
    package var expires: Int64?

    package init(_ kind: Kind, digest: Data, container: String, environment: ServiceEnvironment, expires: Int64? = nil) {
        self.kind = kind
        self.digest = digest
        self.container = container
        self.environment = environment
        self.expires = expires
    }
}

/// What may be shown about a token or a key.
package struct TokenSummary: Hashable, Sendable {
    package var id: Int64
    /// Nil for a token, whose digest nobody needs to see.
    package var keyIdentifier: Data?
    package var rotation: TokenRotation?
    /// Nil for an API token.
    package var user: String?
    package var holder: String
    package var container: String
    package var environment: ServiceEnvironment
    package var created: Int64
    package var expires: Int64?
    package var isRevoked: Bool
}

/// Who a request comes from.
package struct Caller: Hashable, Sendable {
    package var database: DatabaseID
    package var userRecordName: String
    package var holder: String
    package var tokenID: Int64
    /// Nil: the token stays as it is.
    package var rotation: TokenRotation?
    /// Whether the answer names the token's successor.
    package var isRotationDue = false
}

/// A server-to-server key and whom it stands for.
package struct ServerKey: Hashable, Sendable {
    /// SubjectPublicKeyInfo in DER.
    package var publicKey: Data
    package var caller: Caller
}
