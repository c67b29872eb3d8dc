import Foundation
package import SluiceHTTPServer
package import SluiceRecords

/// Decides who a request comes from.
///
/// Three ways lead in: the dialect's, an API token and a user token in the query, or the signature of a server-to-server key; and ours, the user
/// token alone as `Authorization: Bearer`, which no log of a proxy repeats. Without a user token the answer is 421 with a place to get one; with a
/// wrong API token or signature it is 401.
package struct Authenticator: Sendable {
    let storage: any CredentialStorage
    /// Where a person is told how to get a token.
    let signInURL: String
    private let signatures: SignatureCheck

    /// - Parameter now: milliseconds since 1970.
    package init(storage: any CredentialStorage, signInURL: String, now: @escaping @Sendable () -> Int64) {
        self.storage = storage
        self.signInURL = signInURL
        signatures = SignatureCheck(storage: storage, now: now)
    }

    package func caller(_ request: HTTPRequest, _ path: DatabasePath) async throws -> Caller {
        if let key = request.headers[SluiceHeader.requestKeyID] { return try await signatures.caller(signingWith: key, request, path) }
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
