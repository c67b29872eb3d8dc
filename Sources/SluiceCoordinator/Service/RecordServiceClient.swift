// One account's way to its record service: requests of the dialect over HTTPS, answers as values, failures as the sync core knows them.
// With an API token both tokens travel in the query, as the dialect wants; a service of ours takes the user token alone, in a header that
// no proxy's log repeats. HTTPClientError names hosts only.

import Foundation
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
    private let keepRotated: @Sendable (_ token: String, _ configured: String) throws -> Void
    private let userAgent: String
    private let turns: TokenTurns

    /// - Parameter turns: shared by all clients that use the same token.
    package init(
        _ http: HTTPClient, _ address: ServiceAddress, userAgent: String, turns: TokenTurns = TokenTurns(),
        credentials: @escaping @Sendable () throws -> Credentials,
        keepRotated: @escaping @Sendable (_ token: String, _ configured: String) throws -> Void
    ) {
        self.http = http
        self.address = address
        self.userAgent = userAgent
        self.turns = turns
        self.credentials = credentials
        self.keepRotated = keepRotated
    }

    /// The proxy in use, for status; without its credentials.
    package var effectiveProxy: String? { http.effectiveProxy(for: address.url) }

    // MARK: Requests

    /// Sends a request of the sync core; an operation's body goes byte for byte.
    /// - Throws: `RequestFailure` where there is no answer, or one that must not be read.
    package func exchange(_ request: ExchangeRequest) async throws -> ExchangeAnswer { try await exchange(request, waiting: 0) }

    /// Whether a request may be held for long: where tokens rotate, everything else would wait for its answer.
    package var mayWait: Bool { !turns.areTaken }

    /// Waits until a zone has something new, `seconds` at most; with 0 it only looks.
    package func waitForChanges(after token: String?, seconds: Int) async throws -> DatabaseChangesResponse {
        let request = DatabaseChangesRequest(syncToken: token, waitSeconds: token == nil || seconds == 0 ? nil : seconds)
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
        let turn = await turns.take()
        defer { turns.end(turn) }
        let secrets: Credentials
        do { secrets = try credentials() } catch { throw RequestFailure.noCredentials("\(error)") }
        let mark = CredentialMark([secrets.apiToken, secrets.configuredToken])
        // A token that a person put there may be somebody else's.
        if let expected = request.credentials, expected != mark { throw RequestFailure.credentialsChanged }
        var timeouts = HTTPTimeouts()
        timeouts.idle += .seconds(waiting)
        timeouts.total += .seconds(waiting)
        let operation = request.operation.map { [HTTPHeader(SluiceHeader.idempotencyKey, $0)] } ?? []
        var message = HTTPClientRequest(
            .post, url(request.endpoint, scope: request.scope, secrets), headers: standardHeaders(secrets) + operation, body: request.body,
            timeouts: timeouts)
        message.mayBeHeld = waiting > 0
        let response: HTTPClientResponse
        Failpoint.pass(.sending)
        do throws(HTTPClientError) { response = try await http.send(message) } catch { throw RequestFailure(error) }
        Failpoint.pass(.answered)
        let token = response.header(SluiceHeader.webAuthToken) ?? response.header(SluiceHeader.session)
        turns.note(isRotating: token.map { $0 != secrets.userToken } ?? false)
        if let rotated = token, rotated != secrets.userToken {
            do { try keepRotated(rotated, secrets.configuredToken) } catch { throw RequestFailure.noCredentials("the new token could not be kept: \(error)") }
        }
        var answer = ExchangeAnswer(
            status: response.status, body: response.body, serviceTime: response.header("Date").flatMap(Self.milliseconds(ofDate:)),
            retryAfter: response.header("Retry-After").flatMap(Double.init))
        answer.credentials = mark
        return answer
    }

    private func standardHeaders(_ secrets: Credentials) -> [HTTPHeader] {
        let headers = [HTTPHeader("Content-Type", "application/json"), HTTPHeader(SluiceHeader.client, userAgent)]
        return secrets.apiToken == nil ? headers + [HTTPHeader("Authorization", "Bearer \(secrets.userToken)")] : headers
    }

    private func url(_ endpoint: Endpoint, scope: DatabaseScope, _ secrets: Credentials) -> URL {
        let path = DatabasePath(container: address.container, environment: address.environment, scope: scope).path(of: endpoint)
        let query = secrets.apiToken.map {
            "?ckAPIToken=\(Self.percentEncoded($0))&ckWebAuthToken=\(Self.percentEncoded(secrets.userToken))"
        }
        let base = address.url.absoluteString
        let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path + (query ?? "")
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
