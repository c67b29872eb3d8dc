// One account's way to its record service: requests of the dialect over HTTPS, answers as values, failures as the sync core knows them.
// With an API token both tokens travel in the query, as the dialect wants; a service of ours takes the user token alone, in a header that
// no proxy's log repeats. HTTPClientError names hosts only.

package import Foundation
import SluiceFailpoints
package import SluiceHTTPClient
package import SluiceRecords
import SluiceSync
import Synchronization

/// An answer and the service's clock at that moment.
package struct ServiceAnswer<Value: Sendable>: Sendable {
    package let value: Value
    /// Milliseconds since 1970 by the service's `Date` header; nil without one.
    package let serviceTime: Int64?
}

/// One page of the feed, with the timeline that it belongs to.
package struct FeedPage: Sendable {
    package let changes: ZoneChanges
    package let epoch: Epoch?
}

/// Sends the requests of one account.
package final class RecordServiceClient: Sendable {
    private let http: HTTPClient
    private let address: ServiceAddress
    private let credentials: @Sendable () throws -> Credentials
    /// Keeps a token that the service rotated, before the next call.
    private let keepRotated: @Sendable (_ token: String, _ configured: String) throws -> Void
    private let userAgent: String

    package init(
        _ http: HTTPClient, _ address: ServiceAddress, userAgent: String, credentials: @escaping @Sendable () throws -> Credentials,
        keepRotated: @escaping @Sendable (_ token: String, _ configured: String) throws -> Void
    ) {
        self.http = http
        self.address = address
        self.userAgent = userAgent
        self.credentials = credentials
        self.keepRotated = keepRotated
    }

    /// The proxy in use, for status; without its credentials.
    package var effectiveProxy: String? { http.effectiveProxy(for: address.url) }

    // MARK: Requests

    package func caller() async throws -> ServiceAnswer<CallerResponse> { try await send(.usersCaller, scope: .public, Data("{}".utf8)) }

    package func createZone(_ zone: ZoneID) async throws {
        let answer: ServiceAnswer<ZonesResponse> = try await send(
            .zonesModify, try ZonesModifyRequest(operations: [ZoneOperation(.create, zone)]).encoded())
        if case .failure(_, let error)? = answer.value.zones.first, error.code != .exists { throw RequestFailure(error) }
    }

    /// One page of the zone's feed.
    /// - Parameter epoch: the timeline that the token belongs to.
    package func changes(in zone: ZoneID, after token: String?, epoch: Epoch?) async throws -> ServiceAnswer<FeedPage> {
        let request = ZoneChangesRequest(zones: [.init(zone, syncToken: token)])
        let answer: ServiceAnswer<ZoneChangesResponse> = try await send(.zoneChanges, try request.encoded())
        switch answer.value.zones.first {
        case .changes(let page)?:
            return ServiceAnswer(value: FeedPage(changes: page, epoch: answer.value.epoch), serviceTime: answer.serviceTime)
        case .failure(_, let error)?: throw RequestFailure(error, ofFeedWith: token, epoch: epoch)
        case nil: throw RequestFailure.serviceFault("its answer names no zone", retryAfter: nil)
        }
    }

    /// Waits until a zone has something new, `seconds` at most.
    package func waitForChanges(after token: String?, seconds: Int) async throws -> DatabaseChangesResponse {
        let request = DatabaseChangesRequest(syncToken: token, waitSeconds: token == nil ? nil : seconds)
        let answer: ServiceAnswer<DatabaseChangesResponse> = try await send(.databaseChanges, try request.encoded(), waiting: seconds)
        return answer.value
    }

    /// Sends a frozen operation, byte for byte.
    package func modify(_ body: Data, operation id: String) async throws -> ServiceAnswer<RecordsResponse> {
        try await send(.recordsModify, body, headers: [HTTPHeader(SluiceHeader.idempotencyKey, id)])
    }

    package func lookup(_ names: [String], in zone: ZoneID) async throws -> ServiceAnswer<RecordsResponse> {
        try await send(.recordsLookup, try LookupRequest(recordNames: names, zoneID: zone).encoded())
    }

    // MARK: One request

    private func send<Response: WireDecodable & Sendable>(
        _ endpoint: Endpoint, scope: DatabaseScope = .private, _ body: Data, headers: [HTTPHeader] = [], waiting: Int = 0
    ) async throws -> ServiceAnswer<Response> {
        let secrets: Credentials
        do { secrets = try credentials() } catch { throw RequestFailure.noCredentials("\(error)") }
        var timeouts = HTTPTimeouts()
        timeouts.idle += .seconds(waiting)
        timeouts.total += .seconds(waiting)
        let request = HTTPClientRequest(
            .post, url(endpoint, scope: scope, secrets),
            headers: standardHeaders(secrets) + headers, body: body, timeouts: timeouts)
        let response: HTTPClientResponse
        Failpoint.pass(.sending)
        do throws(HTTPClientError) { response = try await http.send(request) } catch { throw RequestFailure(error) }
        Failpoint.pass(.answered)
        if let rotated = response.header(SluiceHeader.webAuthToken) ?? response.header(SluiceHeader.session), rotated != secrets.userToken {
            do { try keepRotated(rotated, secrets.configuredToken) } catch { throw RequestFailure.noCredentials("the new token could not be kept: \(error)") }
        }
        guard response.status == 200 else { throw RequestFailure(Self.error(in: response)) }
        do {
            return ServiceAnswer(value: try Response(decoding: response.body), serviceTime: response.header("Date").flatMap(Self.milliseconds(ofDate:)))
        } catch {
            throw RequestFailure.serviceFault("its answer cannot be read (\(error))", retryAfter: nil)
        }
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

    private static func error(in response: HTTPClientResponse) -> ServerError {
        let seconds = response.header("Retry-After").flatMap(Double.init)
        if let json = try? JSONValue(parsing: response.body), let object = try? json.asObject(), var error = try? ServerError(object) {
            error.retryAfter = error.retryAfter ?? seconds
            return error
        }
        // Not the service's own words: a proxy or a gateway in between.
        let code = ServerErrorCode(httpStatus: response.status)
        return ServerError(code, "HTTP status \(response.status)", retryAfter: seconds)
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
