import Foundation
import Glibc
import SluiceHTTPClient
import SluiceRecords
import Testing

/// The `sluice-records` that was built with these tests, run as its own process in a folder of its own.
final class ServiceProcess {
    let folder: URL
    var userToken: String
    private(set) var process = Process()
    private(set) var port = 0
    /// A PostgreSQL connection string; nil: embedded.
    let storage: String?
    private let ownsFolder: Bool
    static let path = DatabasePath(container: "iCloud.test", environment: .development, scope: .private)

    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Beside the test bundle, wherever the build put both.
    private static var program: URL {
        get throws {
            let start = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            for folder in sequence(first: start, next: { $0.path == "/" ? nil : $0.deletingLastPathComponent() }) {
                let candidate = folder.appendingPathComponent("sluice-records")
                if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath { return candidate }
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }

    /// Runs one command to its end.
    /// - Parameter path: of another program than the service's.
    static func run(program path: String? = nil, _ arguments: [String]) throws -> Result {
        let process = Process()
        process.executableURL = try path.map { URL(fileURLWithPath: $0) } ?? program
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: text, errors: errorText)
    }

    /// A new service with a certificate and one user, not yet served.
    init(storage: String? = nil) throws {
        self.storage = storage
        ownsFolder = true
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-records-\(UUID().uuidString)")
        let data = folder.appendingPathComponent("data").path
        let scope = ["--data", data, "--container", "iCloud.test", "--environment", "development"] + (storage.map { ["--storage", $0] } ?? [])
        #expect(try Self.run(["init"] + scope).status == 0)
        #expect(try Self.run(["dev-cert", "--out", folder.path, "localhost", "127.0.0.1"]).status == 0)
        userToken = try Self.run(["token", "issue", "--user", "ann"] + scope).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A second process of the same service.
    init(beside other: ServiceProcess) {
        (storage, folder, userToken, ownsFolder) = (other.storage, other.folder, other.userToken, false)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        if ownsFolder { try? FileManager.default.removeItem(at: folder) }
    }

    private var logFile: URL { folder.appendingPathComponent("log-\(ownsFolder ? 1 : 2)") }
    /// What the process said on standard error, over all its starts.
    var log: String { String(decoding: FileManager.default.contents(atPath: logFile.path) ?? Data(), as: UTF8.self) }
    var data: String { folder.appendingPathComponent("data").path }

    /// Writes a configuration file for this service.
    /// - Parameter more: YAML beside listener and data.
    func writeFile(_ more: String) throws -> URL {
        let file = folder.appendingPathComponent("service.yaml")
        try Data("listen: {port: 0, certificateFile: server.pem, keyFile: server.key}\ndataDirectory: data\n\(more)\n".utf8).write(to: file)
        return file
    }

    /// Starts serving and waits for the line that names the port.
    /// - Parameter environment: variables besides those of this process.
    func start(_ options: [String]? = nil, environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = try Self.program
        let given = [
            "--data", data, "--port", "0", "--certificate", folder.appendingPathComponent("server.pem").path, "--key",
            folder.appendingPathComponent("server.key").path,
        ] + (storage.map { ["--storage", $0] } ?? [])
        process.arguments = ["serve"] + (options ?? given)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        if !FileManager.default.fileExists(atPath: logFile.path) { try Data().write(to: logFile) }
        let log = try FileHandle(forWritingTo: logFile)
        try log.seekToEnd()
        process.standardError = log
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            line += String(decoding: piece, as: UTF8.self)
        }
        port = try #require(line.split(separator: ":").last.flatMap { Int($0.trimmingCharacters(in: .newlines)) }, "no port in: \(line)")
    }

    /// Ends it and returns its exit status; for a signal, the signal.
    @discardableResult
    func end(_ signal: Int32) -> Int32 {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return process.terminationStatus
    }

    func makeClient() throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.extraAuthoritiesFile = folder.appendingPathComponent("ca.pem").path
        configuration.timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(10), total: .seconds(20))
        return try HTTPClient(configuration)
    }

    /// What tasks need to send requests while the process is under test.
    var requests: Requests { Requests(port: port, userToken: userToken) }

    struct Requests: Sendable {
        let port: Int
        let userToken: String

        /// A request of a Sluice client.
        func make(_ endpoint: Endpoint, _ body: some WireEncodable, id: String? = nil) throws -> HTTPClientRequest {
            var headers = [HTTPHeader("Authorization", "Bearer \(userToken)"), HTTPHeader(SluiceHeader.client, "tests/1")]
            if let id { headers.append(HTTPHeader(SluiceHeader.idempotencyKey, id)) }
            let url = try #require(URL(string: "https://127.0.0.1:\(port)\(ServiceProcess.path.path(of: endpoint))"))
            return HTTPClientRequest(.post, url, headers: headers, body: try body.encoded())
        }
    }
}
