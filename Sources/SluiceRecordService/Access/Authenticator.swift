package import Foundation
package import SluiceHTTPServer
package import SluiceRecords

/// Whom a request comes from, and what the answer says of their token.
package struct Admission: Sendable {
    package let caller: Caller
    /// The token for the next call; nil where the request brought none that the answer has to repeat.
    package let nextToken: String?
    /// Whether the token that came is good for some time after the next one was used.
    package let hasGrace: Bool
}

/// Decides who a request comes from.
///
/// Three ways lead in: the dialect's, an API token and a user token in the query, or the signature of a server-to-server key; and ours, the user
/// token alone as `Authorization: Bearer`, which no log of a proxy repeats. Without a user token the answer is 421 with a place to get one; with a
/// wrong API token or signature it is 401.
package struct Authenticator: Sendable {
    let storage: any CredentialStorage
    /// Where a person is told how to get a token.
    let signInURL: String
    /// What successors of tokens are worked out with.
    private let rotationKey: Data
    private let signatures: SignatureCheck

    /// - Parameter now: milliseconds since 1970.
    package init(storage: any CredentialStorage, rotationKey: Data, signInURL: String, now: @escaping @Sendable () -> Int64) {
        self.storage = storage
        self.rotationKey = rotationKey
        self.signInURL = signInURL
        signatures = SignatureCheck(storage: storage, now: now)
    }

    package func admission(_ request: HTTPRequest, _ path: DatabasePath) async throws -> Admission {
        if let key = request.headers[SluiceHeader.requestKeyID] {
            return Admission(caller: try await signatures.caller(signingWith: key, request, path), nextToken: nil, hasGrace: false)
        }
        if let token = Self.bearerToken(request) { return try await admission(token, path, isRepeated: false) }
        guard let apiToken = request.queryValue("ckAPIToken"),
            try await storage.acceptsAPIToken(digest: AccessToken.digest(of: apiToken), for: path)
        else { throw ServerError(.authenticationFailed, "Authentication failed") }
        guard let token = Self.webToken(request) else { throw authenticationRequired }
        return try await admission(token, path, isRepeated: true)
    }

    /// The token that came in the query.
    package static func webToken(_ request: HTTPRequest) -> String? {
        let token = request.queryValue("ckWebAuthToken") ?? request.queryValue("ckSession")
        return token?.isEmpty == false ? token : nil
    }

    private static func bearerToken(_ request: HTTPRequest) -> String? {
        let scheme = "bearer "
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let header = request.headers["Authorization"]?.utf8, header.count >= scheme.utf8.count,
            zip(header, scheme.utf8).allSatisfy({ $0 == $1 || !isBlank($1) && $0 | 0x20 == $1 })
        else { return nil }
        let token = header.dropFirst(scheme.utf8.count).drop(while: isBlank)
        return token.lastIndex { !isBlank($0) }.flatMap { String(token[...$0]) } ?? ""
    }

    /// - Parameter isRepeated: the answer names the token also where it stays: clients that expect it to rotate keep what they are told.
    private func admission(_ text: String, _ path: DatabasePath, isRepeated: Bool) async throws -> Admission {
        let token = AccessToken(text: text)
        var caller = try await storage.caller(digest: token.digest, for: path)
        if caller == nil {
            let successor = token.successor(key: rotationKey)
            caller = try await storage.caller(rotatingTo: token.digest, successor: successor.digest, for: path)
        }
        guard let caller else { throw authenticationRequired }
        let nextToken = caller.isRotationDue ? token.successor(key: rotationKey).text : isRepeated ? text : nil
        return Admission(caller: caller, nextToken: nextToken, hasGrace: caller.rotation == .lenient)
    }

    private var authenticationRequired: ServerError {
        ServerError(.authenticationRequired, "request needs authorization", redirectURL: signInURL)
    }
}
