import Foundation
import Glibc
package import SluiceCommandLine
import SluiceDaemon
package import SluiceHTTPServer
import SluiceNotation
import SluiceRecordService
import SluiceRecords

/// `sluice-records serve`: serves until SIGTERM or SIGINT, then finishes what is under way and exits within five seconds.
struct ServeCommand: AsynchronousCommand {
    static let address = Parameter<String>.option("address", value: "ADDRESS", default: "127.0.0.1", help: "The address to listen on.")
    static let port = Parameter<Int>.option("port", short: "p", value: "PORT", default: "8443", help: "The port; 0 takes a free one.")
    static let certificate = Parameter<String>.option(
        "certificate", value: "FILE", isRequired: true, help: "The server's certificate chain, PEM.")
    static let key = Parameter<String>.option("key", value: "FILE", isRequired: true, help: "Its private key, PEM; not readable by everybody.")
    static let publicURL = Parameter<String>.option("public-url", value: "URL", help: "How clients reach the service, for links in answers.")
    static let operations = Parameter<Int>.option(
        "operations", value: "COUNT", default: "2000", help: "Operations in one request of a Sluice client; others may send 200.")
    static let body = Parameter<ByteCount>.option("body", value: "SIZE", default: "8MiB", help: "The largest request body.")
    static let quota = Parameter<ByteCount>.option("quota", value: "SIZE", default: "10GiB", help: "What one account may hold.")
    static let rate = Parameter<Int>.option("rate", value: "COUNT", default: "500", help: "Requests per second and token, for long.")
    static let connections = Parameter<Int>.option("connections", value: "COUNT", default: "1024", help: "Connections at once.")
    static let declaration = Declaration(
        "serve", "Serve records over HTTPS.",
        discussion: "Prints one line with its address when it is ready, and logs to standard error.",
        parameters: [
            Shared.data.declaration, address.declaration, port.declaration, certificate.declaration, key.declaration, publicURL.declaration,
            operations.declaration, body.declaration, quota.declaration, rate.declaration, connections.declaration,
        ],
        exitCodes: [
            (.noInput, "There is no service in the data directory, or no certificate."), (.unavailable, "The address cannot be used."),
            (.temporaryFailure, "Another process serves the data directory."),
        ])

    /// The service manager allows more; 5 s with the last answers and the closing of the database.
    private static let drainTime: Duration = .seconds(3)

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        guard (0...65_535).contains(arguments.required(Self.port)) else { throw UsageError("a port is 0 to 65535", argument: "--port") }
        for parameter in [Self.operations, Self.rate, Self.connections] where arguments.required(parameter) < 1 {
            throw UsageError("a limit is at least 1", argument: "--\(parameter.declaration.name)")
        }
        for parameter in [Self.body, Self.quota] where arguments.required(parameter).bytes < 1 {
            throw UsageError("a limit is at least 1B", argument: "--\(parameter.declaration.name)")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let signals = SignalStream([SIGTERM, SIGINT])
        let manager = ServiceManagerNotification(socketPath: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
        let directory = DataDirectory(path: arguments.required(Shared.data))
        var http = ServerConfiguration()
        http.connections = arguments.required(Self.connections)
        http.tls = TLSIdentity(
            certificate: try SecretFiles.read(arguments.required(Self.certificate), isSecret: false),
            privateKey: try SecretFiles.read(arguments.required(Self.key), isSecret: true))
        let lock = try directory.lock()
        let storage = try directory.open()
        let address = arguments.required(Self.address)
        let server = try RecordServer.start(
            configuration(), http: http, on: try ListenSocket(host: address, port: UInt16(arguments.required(Self.port))), storage: storage,
            log: .standardError)
        let host = address.contains(":") ? "[\(address)]" : address
        console.printLine("listening on https://\(host):\(server.port ?? 0)")
        console.output.flush()
        manager.ready()
        for await _ in signals.values { break }
        manager.stopping()
        await server.stop(within: Self.drainTime)
        withExtendedLifetime(lock) {}
        return .success
    }

    private func configuration() -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.limits = ServiceLimits(
            operations: arguments.required(Self.operations), bytes: Int(arguments.required(Self.body).bytes))
        configuration.quota = arguments.required(Self.quota).bytes
        configuration.rate = Double(arguments.required(Self.rate))
        configuration.burst = 4 * configuration.rate
        configuration.publicURL = arguments.value(of: Self.publicURL)
        return configuration
    }
}

extension HTTPServerError: ExitCodeProviding {
    package var exitCode: ExitCode { code == .cannotBind ? .unavailable : .configuration }
}
