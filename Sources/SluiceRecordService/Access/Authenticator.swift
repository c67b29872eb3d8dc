import Foundation
package import SluiceHTTPServer
package import SluiceRecords

/// Decides who a request comes from.
///
/// Two ways lead in: the dialect's, an API token and a user token in the query, and ours, the user token alone as `Authorization: Bearer`,
/// which no log of a proxy repeats. Without a user token the answer is 421 with a place to get one; with a wrong API token it is 401.
package struct Authenticator: Sendable {
    let storage: any CredentialStorage
    /// Where a person is told how to get a token.
    let signInURL: String

    package init(storage: any CredentialStorage, signInURL: String) {
        self.storage = storage
        self.signInURL = signInURL
    }

    package func caller(_ request: HTTPRequest, _ path: DatabasePath) async throws -> Caller {
        if request.headers["X-Apple-CloudKit-Request-KeyID"] != nil {
            throw ServerError(.authenticationFailed, "server-to-server keys may not use this database")
        }
        if let token = Self.bearerToken(request) { return try await caller(token, path) }
        guard let apiToken = request.queryValue("ckAPIToken"),
            try await storage.acceptsAPIToken(digest: AccessToken.digest(of: apiToken), for: path)
        else { throw ServerError(.authenticationFailed, "Authentication failed") }
        guard let token = Self.webToken(request) else { throw authenticationRequired }
        return try await caller(token, path)
    }

    /// The token that rotation headers carry on: the one that came in the query.
    package static func webToken(_ request: HTTPRequest) -> String? {
        let token = request.queryValue("ckWebAuthToken") ?? request.queryValue("ckSession")
        return token?.isEmpty == false ? token : nil
    }

    private static func bearerToken(_ request: HTTPRequest) -> String? {
        guard let header = request.headers["Authorization"], header.lowercased().hasPrefix("bearer ") else { return nil }
        return header.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces)
    }

    private func caller(_ token: String, _ path: DatabasePath) async throws -> Caller {
        guard let caller = try await storage.caller(digest: AccessToken.digest(of: token), for: path) else { throw authenticationRequired }
        return caller
    }

    private var authenticationRequired: ServerError {
        ServerError(.authenticationRequired, "request needs authorization", redirectURL: signInURL)
    }
}
