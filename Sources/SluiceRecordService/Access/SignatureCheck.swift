import Foundation
import SluiceDigest
package import SluiceHTTPServer
package import SluiceRecords

/// Decides whose server-to-server key signed a request.
///
/// `RequestSignature` says what is signed. Clients of the dialect differ in two habits, and either is accepted: the sum of an empty body or
/// nothing in its place; the target with its query or without. A signature is good for ten minutes to either side of the service's clock and not
/// noted: within them a recorded request may come again, like any retry, and an operation id lets it have its effect once.
package struct SignatureCheck: Sendable {
    private let storage: any CredentialStorage
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64

    package init(storage: any CredentialStorage, now: @escaping @Sendable () -> Int64) {
        self.storage = storage
        self.now = now
    }

    /// - Parameter keyText: what the request says of its key: 64 hexadecimal digits.
    /// - Throws: `SignatureRefusal`; nobody can be told more than that, the log says why.
    package func caller(signingWith keyText: String, _ request: HTTPRequest, _ path: DatabasePath) async throws -> Caller {
        guard request.headers["Authorization"] == nil, request.queryValue("ckAPIToken") == nil else {
            throw SignatureRefusal(reason: "a signed request carries no token")
        }
        guard let identifier = Self.bytes(ofHexadecimal: keyText), let key = try await storage.serverKey(identifier: identifier, for: path) else {
            throw SignatureRefusal(reason: "the key is unknown, revoked, expired, or of another container or environment")
        }
        guard let date = request.headers[SluiceHeader.requestDate], let time = RequestSignature.milliseconds(ofDate: date) else {
            throw SignatureRefusal(reason: "a date like 2016-01-25T22:15:43Z was expected")
        }
        let difference = now() - time
        guard abs(difference) <= RequestSignature.clockTolerance else {
            throw SignatureRefusal(reason: "its date is \(difference / 1_000) s behind the clock here; set the sender's clock")
        }
        guard let text = request.headers[SluiceHeader.requestSignature], let signature = Data(base64Encoded: text) else {
            throw SignatureRefusal(reason: "a signature in base64 was expected")
        }
        let verificationKey = VerificationKey(storedDER: key.publicKey)
        guard messages(date, request).contains(where: { verificationKey.accepts(signature, of: $0) }) else {
            // What should have been signed helps whoever writes a client; the query is left out, as everywhere in the log.
            let expected = RequestSignature.message(date: date, bodyDigest: Digest.sha256(Self.body(of: request)), target: Self.withoutQuery(request.target))
            throw SignatureRefusal(reason: "it does not sign \(String(decoding: expected, as: UTF8.self))")
        }
        return key.caller
    }

    /// What the signature may be of, the likeliest first.
    private func messages(_ date: String, _ request: HTTPRequest) -> [Data] {
        let body = Self.body(of: request)
        let digests = [Digest.sha256(body)] + (body.isEmpty ? [nil] : [])
        let plain = Self.withoutQuery(request.target)
        let targets = [request.target] + (plain == request.target ? [] : [plain])
        return targets.flatMap { target in digests.map { RequestSignature.message(date: date, bodyDigest: $0, target: target) } }
    }

    /// The bytes that travelled, gzip or not.
    private static func body(of request: HTTPRequest) -> Data { request.encodedBody ?? request.body }

    private static func withoutQuery(_ target: String) -> String { String(target.prefix { $0 != "?" }) }

    /// Nil for anything but 64 digits.
    private static func bytes(ofHexadecimal text: String) -> Data? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return Data(stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

/// A signed request that is not let in. The reason is for the log: the sender, who may be anybody, is told `AUTHENTICATION_FAILED`.
struct SignatureRefusal: Error, CustomStringConvertible {
    let reason: String

    var description: String { "signature refused: \(reason)" }
}
