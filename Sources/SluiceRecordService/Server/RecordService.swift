// The way of a request through the service: path → caller → rate → endpoint → answer. Each endpoint's own work is in Endpoints/.
// Whatever goes wrong ends as a ServerError; one that no rule foresaw is a bare INTERNAL_ERROR, its details only in the log.

import Foundation
package import SluiceHTTPServer
import SluiceRecords

/// Answers the requests of one service.
package final class RecordService: Sendable {
    let configuration: ServiceConfiguration
    let storage: any RecordStorage
    let environment: StorageEnvironment
    let metrics = ServiceMetrics()
    let queries = QueryGate()
    let recordTypes: RecordTypes
    private let authenticator: Authenticator
    private let limiter: RateLimiter
    private let log: ServiceLog
    /// Nil: this service keeps no files.
    let files: ServiceFiles?

    package init(
        _ configuration: ServiceConfiguration, storage: any RecordStorage, assets: (any AssetStore)? = nil,
        environment: StorageEnvironment = .system, log: ServiceLog
    ) {
        self.configuration = configuration
        self.storage = storage
        self.environment = environment
        self.log = log
        files = assets.map { ServiceFiles(store: $0, tickets: AssetTickets(key: storage.assetKey)) }
        authenticator = Authenticator(
            storage: storage, rotationKey: storage.assetKey, signInURL: (configuration.publicURL ?? "") + SignInPage.path, now: environment.now)
        recordTypes = RecordTypes(storage: storage, now: environment.now)
        limiter = RateLimiter(rate: configuration.rate, burst: configuration.burst)
    }

    /// - Parameter connections: how many are open, for `/metrics`.
    package func answer(_ request: HTTPRequest, connections: Int) async -> HTTPResponse {
        let start = ContinuousClock.now
        let uuid = requestUUID()
        var response: HTTPResponse
        var note = ""
        if let operational = await OperationalEndpoints(service: self).answer(request, connections: connections) {
            response = operational
        } else if FileTransfers.paths.contains(request.path) {
            (response, note) = await answerTransfer(request, uuid)
        } else {
            (response, note) = await answerDialect(request, uuid)
        }
        response.headers.append(SluiceHeader.requestUUID, uuid)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        metrics.count(endpoint: Self.label(request.path), status: response.status, seconds: seconds)
        let priority: ServiceLog.Priority = response.status >= 500 ? .error : response.status >= 400 ? .notice : .information
        log.log(priority, "\(request.method) \(request.path) \(response.status) \(Self.milliseconds(seconds)) \(uuid)\(note)")
        return response
    }

    /// With one decimal, for the log.
    private static func milliseconds(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10_000).rounded())
        return "\(tenths / 10).\(tenths % 10)ms"
    }

    private func answerDialect(_ request: HTTPRequest, _ uuid: String) async -> (HTTPResponse, note: String) {
        var token = NextToken(of: request)
        do {
            let answer = try await answer(request, &token)
            var response = HTTPResponse(status: 200, headers: Self.headers(token), body: answer.body)
            if answer.isReplay { response.headers.append(SluiceHeader.replayed, "1") }
            return (response, answer.recordCount > 0 ? " records=\(answer.recordCount)" : "")
        } catch let error as ServerError {
            return (failure(error, token, uuid), " \(error.code.rawValue)")
        } catch let refusal as SignatureRefusal {
            return (failure(ServerError(.authenticationFailed, "Authentication failed"), token, uuid), " AUTHENTICATION_FAILED \(refusal)")
        } catch {
            return (failure(serverError(for: error, isSluice: request.headers[SluiceHeader.client] != nil), token, uuid), " \(error)")
        }
    }

    private func answerTransfer(_ request: HTTPRequest, _ uuid: String) async -> (HTTPResponse, note: String) {
        do {
            let response = try await FileTransfers(service: self).answer(request)
            return (response, "")
        } catch let error as ServerError {
            return (failure(error, NextToken(of: request), uuid), " \(error.code.rawValue)")
        } catch {
            return (failure(serverError(for: error, isSluice: false), NextToken(of: request), uuid), " \(error)")
        }
    }

    /// - Parameter token: what the answer, or the error, says of the caller's token.
    private func answer(_ http: HTTPRequest, _ token: inout NextToken) async throws -> ServiceAnswer {
        guard let (path, name) = DatabasePath.parse(http.path), let endpoint = Endpoint(rawValue: name) else {
            throw ServerError(.notFound, "no handler for this endpoint")
        }
        guard http.method == "POST" || http.method == "GET" else { throw ServerError(.badRequest, "GET or POST was expected") }
        let admission = try await authenticator.admission(http, path)
        let caller = admission.caller
        token = NextToken(of: admission, isSluice: http.headers[SluiceHeader.client] != nil)
        try takeTurn(token: caller.tokenID)
        let request = ServiceRequest(http: http, path: path, endpoint: endpoint, caller: caller)
        switch endpoint {
        case .usersCaller, .usersCurrent: return try await UsersEndpoint(service: self).answer(request)
        default: break
        }
        guard path.scope == .private else {
            throw ServerError(.badRequest, "endpoint not applicable in the database type '\(path.scope.rawValue)db'")
        }
        switch endpoint {
        case .zonesList, .zonesLookup, .zonesModify: return try await ZonesEndpoints(service: self).answer(request)
        case .recordsModify: return try await ModifyEndpoint(service: self).answer(request)
        case .recordsLookup: return try await LookupEndpoint(service: self).answer(request)
        case .recordsQuery: return try await QueryEndpoint(service: self).answer(request)
        case .zoneChanges, .recordsChanges: return try await ZoneChangesEndpoint(service: self).answer(request)
        case .assetsUpload, .assetsRereference: return try await AssetsEndpoint(service: self).answer(request)
        case .databaseChanges: return try await DatabaseChangesEndpoint(service: self).answer(request)
        case .usersCaller, .usersCurrent: throw ServerError(.internalError, "internal error")
        }
    }

    /// Counts a request against the rate of a token.
    func takeTurn(token: Int64) throws(ServerError) {
        guard let seconds = limiter.secondsToWait(token: token, now: environment.now()) else { return }
        throw ServerError(.throttled, "too many requests", retryAfter: Double(seconds))
    }

    /// How clients reach this service: the configured address, or the one that the sender used; nil where it used none.
    func baseURL(of request: HTTPRequest) -> String? {
        if let url = configuration.publicURL { return url.hasSuffix("/") ? String(url.dropLast()) : url }
        guard let host = request.headers["Host"], !host.isEmpty, host.utf8.allSatisfy(Self.isOfHost) else { return nil }
        return "https://\(host)"
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "%"): true
        default: false
        }
    }

    // MARK: Errors

    /// For the log: what no client can be told.
    func report(_ fault: some CustomStringConvertible) { log.log(.error, "\(fault)") }

    /// What an error of storage is on the wire.
    func serverError(for error: any Error, isSluice: Bool) -> ServerError {
        switch error {
        case let error as ServerError: return error
        case let error as WireError: return ServerError(.badRequest, error.description)
        case let error as StorageError: return serverError(for: error, isSluice: isSluice)
        default:
            log.log(.error, "unforeseen error: \(error)")
            return ServerError(.internalError, "internal error")
        }
    }

    private func serverError(for error: StorageError, isSluice: Bool) -> ServerError {
        switch error {
        case .zoneNotFound: return ServerError(.zoneNotFound, error.description)
        case .zoneDeleted(_, let reason, false):
            return ServerError(.zoneNotFound, error.description, deletionReason: isSluice ? reason : nil)
        case .zoneDeleted(_, let reason, true): return expired(error, epoch: nil, reason: reason, isSluice: isSluice)
        case .tokenTooOld(let epoch): return expired(error, epoch: epoch, isSluice: isSluice)
        // Without an epoch: there is none that the token and this service have in common.
        case .tokenOfAnotherTimeline: return expired(error, epoch: nil, isSluice: isSluice)
        case .operationReused: return ServerError(.operationIDReused, error.description)
        case .queryRefused(let reason): return ServerError(.badRequest, reason)
        case .quotaExceeded: return ServerError(.quotaExceeded, error.description)
        // Commands add keys, requests never.
        case .credentialExists: return ServerError(.badRequest, error.description)
        case .overloaded: return ServerError(.tryAgainLater, error.description, retryAfter: 1)
        case .unavailable(let detail):
            log.log(.error, "storage failed: \(detail)")
            return ServerError(.internalError, "internal error", retryAfter: 5)
        }
    }

    private func expired(_ error: StorageError, epoch: Epoch?, reason: ZoneDeletionReason? = nil, isSluice: Bool) -> ServerError {
        isSluice
            ? ServerError(.changeTokenExpired, error.description, epoch: epoch, deletionReason: reason)
            : ServerError(.badRequest, SyncToken.Fault.unknownKind.rawValue)
    }

    private func failure(_ error: ServerError, _ token: NextToken, _ uuid: String) -> HTTPResponse {
        var error = error
        error.uuid = uuid
        var headers = Self.headers(token)
        if let seconds = error.retryAfter { headers.append("Retry-After", "\(Int(seconds.rounded(.up)))") }
        do {
            return HTTPResponse(status: error.code.httpStatus, headers: headers, body: try error.encoded())
        } catch {
            // Only a number that is not finite cannot be written, and none of ours is.
            return .text(500, "internal error")
        }
    }

    // MARK: Headers

    /// What an answer says of the token for the next call.
    private struct NextToken {
        private(set) var text: String?
        /// For Sluice clients: how long the token that came is good beside its successor.
        private(set) var graceSeconds: Int64?

        /// Before anybody has looked at it: the token of the query goes back, so that clients that expect it to rotate keep it.
        init(of request: HTTPRequest) { text = Authenticator.webToken(request) }

        init(of admission: Admission, isSluice: Bool) {
            text = admission.nextToken
            graceSeconds = isSluice && admission.hasGrace ? TokenRotation.grace / 1_000 : nil
        }
    }

    private static func headers(_ token: NextToken) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json; charset=UTF-8", "Cache-Control": "no-store",
            "Access-Control-Expose-Headers": "\(SluiceHeader.requestUUID),\(SluiceHeader.webAuthToken)",
        ]
        if let text = token.text, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            headers.append(SluiceHeader.webAuthToken, text)
            headers.append(SluiceHeader.session, text)
            if let seconds = token.graceSeconds { headers.append(SluiceHeader.tokenGrace, "\(seconds)") }
        }
        return headers
    }

    /// A bounded name of what was asked for.
    private static func label(_ path: String) -> String {
        if let (_, name) = DatabasePath.parse(path) { return Endpoint(rawValue: name)?.rawValue ?? "other" }
        return (OperationalEndpoints.paths + FileTransfers.paths).contains(path) ? String(path.dropFirst()) : "other"
    }

    /// A UUID of version 4.
    func requestUUID() -> String {
        let (high, low) = (environment.random(), environment.random())
        let words = [high & ~0xF000 | 0x4000, low & ~(3 << 62) | (2 << 62)]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
    }
}
