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
    package static func start(
        _ configuration: ServiceConfiguration, http: ServerConfiguration, on socket: ListenSocket, storage: any RecordStorage,
        environment: StorageEnvironment = .system, log: ServiceLog
    ) throws -> RecordServer {
        let service = RecordService(configuration, storage: storage, environment: environment, log: log)
        var http = http
        http.bodyBytes = configuration.limits.bytes
        http.bodyTooLarge = try Self.json(
            ServerError(
                .limitExceeded, "a request body may have at most \(configuration.limits.bytes) bytes", limits: configuration.limits))
        http.notInTime = try Self.json(ServerError(.tryAgainLater, "the request took too long", retryAfter: 1))
        let connections = ConnectionCount()
        let server = try HTTPServer.start(on: socket, http) { request in
            await service.answer(request, connections: connections.current())
        }
        connections.observe(server)
        let upkeep = Task {
            while !Task.isCancelled {
                do { try await storage.prune() } catch { log.log(.warning, "pruning failed, tried again in an hour: \(error)") }
                // Cancelled by `stop`: the loop ends.
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        return RecordServer(server, storage, upkeep)
    }

    /// Takes no more work, finishes what is under way within `limit`, and closes the storage.
    package func stop(within limit: Duration) async {
        upkeep.cancel()
        await server.stop(within: limit)
        await storage.close()
    }

    private static func json(_ error: ServerError) throws -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=UTF-8"]
        if let seconds = error.retryAfter { headers.append("Retry-After", "\(Int(seconds))") }
        return HTTPResponse(status: error.code.httpStatus, headers: headers, body: try error.encoded())
    }
}
