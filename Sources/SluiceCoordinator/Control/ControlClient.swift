import CShims
import Foundation
import Glibc
import SluiceHTTPClient

/// Talks to the coordinator that runs an account, over its control socket.
package struct ControlClient: Sendable {
    private let http: HTTPClient
    private let socketPath: String
    /// Keeps the short way to the socket open.
    private let directory: DirectoryHandle
    private let account: String
    /// Whether what is asked waits for a migration that is under way; else it is refused with `migrating`.
    private let waits: Bool

    /// - Parameter stateDirectory: the account's.
    package init(account: String, stateDirectory: String, waits: Bool = true) throws {
        self.waits = waits
        var configuration = HTTPClientConfiguration()
        configuration.timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(24 * 3_600), total: .seconds(24 * 3_600))
        http = try HTTPClient(configuration)
        directory = DirectoryHandle(stateDirectory)
        socketPath = directory.path + "/control.sock"
        self.account = account
    }

    /// An open directory, and a short path to it: a Unix socket's own path may have 107 bytes only.
    private final class DirectoryHandle: Sendable {
        private let descriptor: Int32
        let path: String

        init(_ directory: String) {
            descriptor = sluice_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
            path = descriptor < 0 ? directory : "/proc/self/fd/\(descriptor)"
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }

    package func get<Response: Decodable>(_ path: String) async throws -> Response {
        try await send(HTTPClientRequest(.get, try url(path), socketPath: socketPath))
    }

    package func post<Response: Decodable>(_ path: String, _ message: some Encodable) async throws -> Response {
        try await send(
            HTTPClientRequest(
                .post, try url(path), socketPath: socketPath, headers: [HTTPHeader("Content-Type", "application/json")],
                body: try JSONEncoder().encode(message)))
    }

    private func url(_ path: String) throws -> URL {
        let question = waits ? path : path + (path.contains("?") ? "&" : "?") + "wait=0"
        guard let url = URL(string: "http://coordinator" + question) else {
            throw ControlFailure(code: "badRequest", message: "\(path) is no path")
        }
        return url
    }

    private func send<Response: Decodable>(_ request: HTTPClientRequest) async throws -> Response {
        let response: HTTPClientResponse
        do throws(HTTPClientError) { response = try await http.send(request) } catch {
            throw ControlFailure(
                code: "unavailable",
                message: "no coordinator answers for account \(account) (\(error.kind.rawValue)): start sluiced, or check who runs it")
        }
        guard response.status < 400 else {
            throw (try? JSONDecoder().decode(ControlFailure.self, from: response.body))
                ?? ControlFailure(code: "internal", message: "the coordinator answered with status \(response.status)")
        }
        return try JSONDecoder().decode(Response.self, from: response.body)
    }
}
