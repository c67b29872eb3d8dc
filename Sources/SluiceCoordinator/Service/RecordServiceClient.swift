// One account's way to its record service: requests of the dialect over HTTPS, answers as values, failures as the sync core knows them.
// With an API token both tokens travel in the query, as the dialect wants; a service of ours takes the user token alone, in a header that
// no proxy's log repeats. A server-to-server key signs each request in three headers. HTTPClientError names hosts only.

import Foundation
import SluiceDigest
import SluiceFailpoints
package import SluiceHTTPClient
package import SluiceRecords
package import SluiceSync
import Synchronization

/// Sends the requests of one account.
package final class RecordServiceClient: Sendable {
    private let http: HTTPClient
    private let address: ServiceAddress
    private let credentials: @Sendable () throws -> Credentials
    /// Keeps a token that the service rotated, before the next call.
    private let keepRotated: @Sendable (_ token: String, _ sent: String, _ configured: String) throws -> Void
    private let turns: TokenTurns
    private let userAgent: String

    package convenience init(
        _ http: HTTPClient, _ address: ServiceAddress, userAgent: String, credentials: @escaping @Sendable () throws -> Credentials
    ) {
        self.init(http, address, userAgent: userAgent, turns: TokenTurns(), credentials: credentials, keepRotated: { _, _, _ in })
    }

    /// - Parameter turns: shared by all who use the same token.
    init(
        _ http: HTTPClient, _ address: ServiceAddress, userAgent: String, turns: TokenTurns,
        credentials: @escaping @Sendable () throws -> Credentials,
        keepRotated: @escaping @Sendable (_ token: String, _ sent: String, _ configured: String) throws -> Void
    ) {
        self.http = http
        self.address = address
        self.userAgent = userAgent
        self.credentials = credentials
        self.keepRotated = keepRotated
        self.turns = turns
    }

    /// Whether each request needs the answer to the one before: then nobody may hold one open to wait for news.
    var sendsOneAtATime: Bool { turns.isSingle }

    /// The proxy in use, for status; without its credentials.
    package var effectiveProxy: String? { http.effectiveProxy(for: address.url) }

    // MARK: Requests

    /// Sends a request of the sync core; an operation's body goes byte for byte.
    /// - Throws: `RequestFailure` where there is no answer, or one that must not be read.
    package func exchange(_ request: ExchangeRequest) async throws -> ExchangeAnswer { try await exchange(request, waiting: 0) }

    /// Waits until a zone has something new, `seconds` at most; with 0 it only looks.
    package func waitForChanges(after token: String?, seconds: Int) async throws -> DatabaseChangesResponse {
        let request = DatabaseChangesRequest(syncToken: token, waitSeconds: token == nil || seconds == 0 || sendsOneAtATime ? nil : seconds)
        return try await exchange(ExchangeRequest(.databaseChanges, body: try request.encoded()), waiting: seconds).value()
    }

    /// One page of a zone's feed.
    package func changes(in zone: ZoneID, after token: String?) async throws -> ZoneChanges {
        let request = ZoneChangesRequest(zones: [.init(zone, syncToken: token)])
        let response: ZoneChangesResponse = try await exchange(ExchangeRequest(.zoneChanges, body: try request.encoded())).value()
        switch response.zones.first {
        case .changes(let page)?: return page
        case .failure(_, let error)?: throw RequestFailure(error)
        case nil: throw RequestFailure.serviceFault("its answer names no zone", retryAfter: nil)
        }
    }

    // MARK: One request

    private func exchange(_ request: ExchangeRequest, waiting: Int) async throws -> ExchangeAnswer {
        let secrets = try secrets()
        guard case .tokens = secrets.proof else { return try await exchange(request, waiting, secrets) }
        // The token is read when its turn has come: the request before may have brought it.
        return try await turns.run(with: secrets.mark) { try await exchange(request, waiting, self.secrets()) }
    }

    private func secrets() throws -> Credentials {
        do { return try credentials() } catch { throw RequestFailure.noCredentials("\(error)") }
    }

    private func exchange(_ request: ExchangeRequest, _ waiting: Int, _ secrets: Credentials) async throws -> ExchangeAnswer {
        let mark = secrets.mark
        // A token that a person put there may be somebody else's.
        if let expected = request.credentials, expected != mark { throw RequestFailure.credentialsChanged }
        var timeouts = HTTPTimeouts()
        timeouts.idle += .seconds(waiting)
        timeouts.total += .seconds(waiting)
        let operation = request.operation.map { [HTTPHeader(SluiceHeader.idempotencyKey, $0)] } ?? []
        let path = DatabasePath(container: address.container, environment: address.environment, scope: request.scope).path(of: request.endpoint)
        let proof: [HTTPHeader]
        do { proof = try headers(proving: secrets, of: request.body, to: path) } catch { throw RequestFailure.noCredentials("\(error)") }
        var message = HTTPClientRequest(
            .post, url(path, secrets), headers: standardHeaders + proof + operation, body: request.body, timeouts: timeouts)
        message.mayBeHeld = waiting > 0
        let response: HTTPClientResponse
        Failpoint.pass(.sending)
        do throws(HTTPClientError) { response = try await http.send(message) } catch { throw RequestFailure(error) }
        Failpoint.pass(.answered)
        if case .tokens(_, let user, let configured) = secrets.proof { try keepToken(response, sent: user, configured: configured, mark) }
        var answer = ExchangeAnswer(
            status: response.status, body: response.body, serviceTime: response.header("Date").flatMap(Self.milliseconds(ofDate:)),
            retryAfter: response.header("Retry-After").flatMap(Double.init))
        answer.credentials = mark
        return answer
    }

    /// Keeps a token that the service rotated, before anybody else sends one.
    private func keepToken(_ response: HTTPClientResponse, sent: String, configured: String, _ mark: CredentialMark) throws {
        let next = response.header(SluiceHeader.webAuthToken) ?? response.header(SluiceHeader.session)
        let isRotated = next != nil && next != sent
        if isRotated, let next {
            do { try turns.exclusively { try keepRotated(next, sent, configured) } } catch {
                throw RequestFailure.noCredentials("the new token could not be kept: \(error)")
            }
        }
        turns.learn(isRotated && response.header(SluiceHeader.tokenGrace) == nil ? .single : .shared, of: mark)
    }

    private var standardHeaders: [HTTPHeader] { [HTTPHeader("Content-Type", "application/json"), HTTPHeader(SluiceHeader.client, userAgent)] }

    /// The headers that say whom a request comes from; none where the query does.
    private func headers(proving secrets: Credentials, of body: Data, to path: String) throws -> [HTTPHeader] {
        switch secrets.proof {
        case .tokens(nil, let user, _): return [HTTPHeader("Authorization", "Bearer \(user)")]
        case .tokens: return []
        case .signatures(let key):
            let date = RequestSignature.date(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            let signature = try key.signature(of: RequestSignature.message(date: date, bodyDigest: Digest.sha256(body), target: path))
            return [
                HTTPHeader(SluiceHeader.requestKeyID, key.verificationKey.identifier.hexadecimal), HTTPHeader(SluiceHeader.requestDate, date),
                HTTPHeader(SluiceHeader.requestSignature, signature.base64EncodedString()),
            ]
        }
    }

    private func url(_ path: String, _ secrets: Credentials) -> URL {
        var query = ""
        if case .tokens(let api?, let user, _) = secrets.proof {
            query = "?ckAPIToken=\(Self.percentEncoded(api))&ckWebAuthToken=\(Self.percentEncoded(user))"
        }
        let base = address.url.absoluteString
        let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path + query
        return URL(string: text) ?? address.url
    }

    /// Everything but letters, digits and `-._~`: a bare `+` would arrive as a space and break the token.
    private static func percentEncoded(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        return text.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    private static func milliseconds(ofDate text: String) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(whereSeparator: { " ,:".contains($0) })
        guard parts.count == 8, let day = Int(parts[1]), let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: components).map { Int64($0.timeIntervalSince1970 * 1_000) }
    }
}
