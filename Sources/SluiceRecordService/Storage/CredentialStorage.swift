package import Foundation
package import SluiceRecords

/// The credentials that a service accepts. Tokens are known by their SHA-256 only.
package protocol CredentialStorage: Sendable {
    /// Adds a token; for a user token, the user and their database too, where they are not there yet.
    func addToken(_ token: NewToken) async throws(StorageError)
    func tokens() async throws(StorageError) -> [TokenSummary]
    /// False where there is no such token, or it was revoked before.
    func revokeToken(id: Int64) async throws(StorageError) -> Bool
    /// Whether an API token of that digest is valid for the container and environment.
    func acceptsAPIToken(digest: Data, for path: DatabasePath) async throws(StorageError) -> Bool
    /// Whom a user token names; nil where it is unknown, expired, revoked, or of another container or environment.
    func caller(digest: Data, for path: DatabasePath) async throws(StorageError) -> Caller?
}

/// A token that was just made.
package struct NewToken: Sendable {
    package enum Kind: Sendable {
        case api
        /// - Parameters:
        ///   - user: the operator's name for the person.
        ///   - holder: the device or program that uses it; the scope of its operation ids.
        case user(name: String, holder: String)
    }

    package var kind: Kind
    package var digest: Data
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

/// What may be shown about a token.
package struct TokenSummary: Hashable, Sendable {
    package var id: Int64
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
}
