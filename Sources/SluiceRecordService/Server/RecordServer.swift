package import SluiceHTTPServer
import SluiceRecords

/// A running record service: its storage, its endpoints, its listener and its upkeep. Made by `start`, ended by `stop`.
package final class RecordServer: Sendable {
    private let server: HTTPServer
    private let storage: any RecordStorage
    private let upkeep: Task<Void, Never>

    private init(_ server: HTTPServer, _ storage: any RecordStorage, _ upkeep: Task<Void, Never>) {
        self.server = server
        self.storage = storage
        self.upkeep = upkeep
    }

    package var port: UInt16? { server.port }

    /// Serves `storage`, which belongs to the server from now on.
    /// - Parameter assets: where files are; nil for a service that keeps none.
    package static func start(
        _ configuration: ServiceConfiguration, http: ServerConfiguration, on socket: ListenSocket, storage: any RecordStorage,
        assets: (any AssetStore)? = nil, environment: StorageEnvironment = .system, log: ServiceLog
    ) throws -> RecordServer {
        let service = RecordService(configuration, storage: storage, assets: assets, environment: environment, log: log)
        var http = http
        http.bodyBytes = configuration.limits.bytes
        http.bodyTooLarge = try Self.json(
            ServerError(
                .limitExceeded,
                "a request body may have at most \(configuration.limits.bytes) bytes, an asset \(configuration.assetBytes)", limits: configuration.limits))
        http.bodyMalformed = try Self.json(ServerError(.badRequest, "the request body is no gzip, or ends before its end"))
        http.codingUnknown = try Self.json(ServerError(.badRequest, "a request body may be gzip, or as it is"), status: 415)
        http.codingUnknown.headers.append("Accept-Encoding", "gzip")
        http.compressesAnswers = true
        http.notInTime = try Self.json(ServerError(.tryAgainLater, "the request took too long", retryAfter: 1))
        if let files = service.files {
            http.bodySink = { FileTransfers.sink($0, files, configuration, now: environment.now()) }
        }
        let connections = ConnectionCount()
        let server = try HTTPServer.start(on: socket, http) { request in
            await service.answer(request, connections: connections.current())
        }
        connections.observe(server)
        let collector = assets.map {
            AssetCollector(storage: storage, store: $0, environment: environment, grace: configuration.assetGrace)
        }
        let upkeep = Task {
            var hours = 0
            while !Task.isCancelled {
                do {
                    try await storage.prune()
                    if let collector {
                        var count = try await collector.collect()
                        if hours % 24 == 0 { count += try await collector.sweep() }
                        if count > 0 { log.log(.information, "files=\(count) that no record refers to were removed") }
                    }
                } catch { log.log(.warning, "upkeep failed, tried again in an hour: \(error)") }
                hours += 1
                // Cancelled by `stop`: the loop ends.
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        return RecordServer(server, storage, upkeep)
    }

    /// Shows another certificate to connections from now on.
    /// - Throws: `HTTPServerError`; the one before stays then.
    package func replaceIdentity(_ identity: TLSIdentity) throws(HTTPServerError) { try server.replaceIdentity(identity) }

    /// Takes no more work, finishes what is under way within `limit`, and closes the storage.
    package func stop(within limit: Duration) async {
        upkeep.cancel()
        await server.stop(within: limit)
        await storage.close()
    }

    /// - Parameter status: in place of the error's own.
    private static func json(_ error: ServerError, status: Int? = nil) throws -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=UTF-8"]
        if let seconds = error.retryAfter { headers.append("Retry-After", "\(Int(seconds))") }
        return HTTPResponse(status: status ?? error.code.httpStatus, headers: headers, body: try error.encoded())
    }
}
