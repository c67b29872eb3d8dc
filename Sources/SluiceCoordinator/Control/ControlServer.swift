import Foundation
import SluiceGroup
import SluiceHTTPServer
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

/// Serves the control socket of one account. ControlMessages lists what it answers.
final class ControlServer: Sendable {
    private let server: HTTPServer
    /// One thread for the sockets of all accounts.
    private static let loop = DaemonLoop()

    init(_ account: AccountRuntime, in directory: StateDirectory) throws {
        var configuration = ServerConfiguration()
        configuration.loop = Self.loop
        configuration.connections = 64
        // `sync` with waiting may take as long as a first sync does; its client hangs up when it has enough.
        configuration.requestTime = .seconds(24 * 3_600)
        let router = ControlRouter(account: account)
        server = try HTTPServer.start(on: ControlSocket.listen(in: directory), configuration) { await router.answer($0) }
    }

    func stop() async { await server.stop(within: .seconds(1)) }
}

struct ControlRouter: Sendable {
    let account: AccountRuntime

    /// The longest that a question for another status waits; who asks then asks again.
    private static let statusWait: Duration = .seconds(50)

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await route(request)
        } catch let failure as ControlFailure {
            return respond(failure, status: Self.status(of: failure.code))
        } catch let error as StoreError {
            if case .noSuchRecord = error { return respond(ControlFailure(code: "notFound", message: "\(error)"), status: 404) }
            return respond(ControlFailure(code: "refused", message: "\(error)"), status: 409)
        } catch let error as DropRefusal {
            let code = switch error {
            case .nothingWaits, .notSetAside: "notFound"
            case .inFlight, .neededBy, .onlyHere: "refused"
            }
            return respond(ControlFailure(code: code, message: "\(error)"), status: Self.status(of: code))
        } catch let error as FilterError {
            return respond(ControlFailure(code: "badRequest", message: "\(error)"), status: 400)
        } catch let error as SQLiteError {
            return respond(ControlFailure(code: "storage", message: "\(error)"), status: 507)
        } catch let error as SharedDefaultsFault {
            return respond(ControlFailure(code: "refused", message: "\(error)"), status: 409)
        } catch let error as KeyValueFault {
            return respond(ControlFailure(code: "refused", message: "\(error)"), status: 409)
        } catch let error as GroupError {
            return respond(ControlFailure(code: "storage", message: "\(error)"), status: 507)
        } catch let error as ExternalValueFault {
            return respond(ControlFailure(code: "storage", message: "\(error)"), status: 507)
        } catch let error as ExternalWriteFailure {
            return respond(ControlFailure(code: "storage", message: "\(error)"), status: 507)
        } catch let error as DecodingError {
            return respond(ControlFailure(code: "badRequest", message: "the request body cannot be read: \(error)"), status: 400)
        } catch {
            return respond(ControlFailure(code: "internal", message: "\(error)"), status: 500)
        }
    }

    private static func status(of code: String) -> Int {
        switch code {
        case "badRequest": 400
        case "notFound": 404
        case "refused": 409
        case "unavailable", "migrating": 503
        case "storage": 507
        default: 500
        }
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        if (request.method, request.path) == ("GET", "/metrics") {
            return .metrics(account.metrics())
        }
        let isMigrating = account.status.state == "migrating"
        if (request.method, request.path) == ("GET", "/v1/status") {
            let (counts, digest) = (request.queryValue("counts") == "1", request.queryValue("digest") == "1")
            if let revision = request.queryValue("after").flatMap(Int64.init) {
                return respond(await account.status(after: revision, within: Self.statusWait))
            }
            // Who asks what goes on is not kept waiting until it is over.
            guard counts || digest, !isMigrating else { return respond(account.status) }
            return respond(try await account.detailedStatus(counts: counts, digest: digest))
        }
        if isMigrating, request.queryValue("wait") == "0" { throw ControlFailure.migrating(account.status) }
        switch (request.method, request.path) {
        case ("POST", "/v1/put"): return respond(try await account.put(decode(request)))
        case ("POST", "/v1/delete"):
            let name: RecordRequest = try decode(request)
            return respond(DeleteResponse(deleted: try await account.delete(RecordName(name.name))))
        case ("GET", let path) where path.hasPrefix("/v1/records/"):
            let name = path.dropFirst("/v1/records/".count)
            return respond(try await account.row(named: RecordName(name.removingPercentEncoding ?? String(name))))
        case ("POST", "/v1/query"): return respond(try await account.query(decode(request)))
        case ("POST", "/v1/sync"): return respond(try await account.sync(decode(request)))
        case ("POST", "/v1/zone/recreate"): return respond(try await account.recreateZone(decode(request)))
        case ("POST", "/v1/zone/forget"): return respond(try await account.forgetZone(decode(request)))
        case ("POST", "/v1/pause"): return respond(try await account.setPaused(true))
        case ("POST", "/v1/resume"): return respond(try await account.setPaused(false))
        case ("POST", "/v1/retry"):
            let retry: RetryRequest = try decode(request)
            return respond(try await account.retry(retry.name.map { RecordName($0) }))
        case ("POST", "/v1/drop"):
            let name: RecordRequest = try decode(request)
            return respond(try await account.drop(RecordName(name.name)))
        case ("GET", "/v1/outbox"):
            let after = request.queryValue("after").flatMap(Int64.init) ?? 0
            let limit = request.queryValue("limit").flatMap(Int.init) ?? 100
            return respond(try await account.outbox(after: after, limit: max(1, limit), setAside: request.queryValue("setAside") == "1"))
        case ("GET", let path) where path.hasPrefix("/v1/outbox/"):
            let name = path.dropFirst("/v1/outbox/".count)
            return respond(try await account.outboxEntry(of: RecordName(name.removingPercentEncoding ?? String(name))))
        case ("GET", "/v1/conflicts"):
            let before = request.queryValue("before").flatMap(Int64.init) ?? .max
            let limit = request.queryValue("limit").flatMap(Int.init) ?? 100
            return respond(
                try await account.conflicts(before: before, of: request.queryValue("record").map { RecordName($0) }, limit: max(1, limit)))
        case ("GET", "/v1/projection"):
            return respond(ProjectionResponse(groups: try await account.explainProjections(group: request.queryValue("group"))))
        case ("POST", "/v1/projection/rebuild"): return respond(try await account.rebuildLocalStores(decode(request)))
        case ("GET", "/v1/defaults"):
            return respond(DefaultsResponse(groups: try await account.sharedDefaults(group: request.queryValue("group"))))
        case ("POST", "/v1/defaults"):
            let wanted: SetDefaultRequest = try decode(request)
            try await account.setSharedDefault(wanted.value, for: wanted.key, group: wanted.group)
            return respond(SetDefaultResponse(key: wanted.key))
        case ("GET", "/v1/keyvalues"): return respond(KeyValuesResponse(values: try await account.syncedValues()))
        case ("POST", "/v1/keyvalues"):
            let wanted: SetDefaultRequest = try decode(request)
            try await account.setSyncedValue(wanted.value, for: wanted.key)
            return respond(SetDefaultResponse(key: wanted.key))
        case ("GET", "/v1/history"):
            let after = request.queryValue("after").flatMap(Int64.init) ?? 0
            let limit = request.queryValue("limit").flatMap(Int.init) ?? 100
            return respond(try await account.history(after: after, limit: max(1, limit)))
        default:
            throw ControlFailure(code: "notFound", message: "there is no \(request.method) \(request.path) on the control socket")
        }
    }

    private func decode<Message: Decodable>(_ request: HTTPRequest) throws -> Message {
        try JSONDecoder().decode(Message.self, from: request.body)
    }

    private func respond(_ message: some Encodable, status: Int = 200) -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: try encoder.encode(message) + Data("\n".utf8))
        } catch {
            return .text(500, "the answer cannot be encoded")
        }
    }
}
