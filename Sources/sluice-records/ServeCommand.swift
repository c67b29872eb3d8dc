import Foundation
import Glibc
import SluiceCommandLine
import SluiceDaemon
import SluiceHTTPServer
import SluiceRecordService

/// `sluice-records serve`: serves until SIGTERM or SIGINT, then finishes what is under way and exits within five seconds. SIGHUP reads the certificate
/// anew, and so does a change of its files.
struct ServeCommand: AsynchronousCommand {
    static let config = Parameter<String>.option("config", short: "c", value: "FILE", help: "The service's file; it says everything below.")
    static let address = Parameter<String>.option("address", value: "ADDRESS", default: "127.0.0.1", help: "The address to listen on.")
    static let port = Parameter<Int>.option("port", short: "p", value: "PORT", default: "8443", help: "The port; 0 takes a free one.")
    static let certificate = Parameter<String>.option("certificate", value: "FILE", help: "The server's certificate chain, PEM.")
    static let key = Parameter<String>.option("key", value: "FILE", help: "Its private key, PEM; not readable by everybody.")
    static let publicURL = Parameter<String>.option("public-url", value: "URL", help: "How clients reach the service, for links in answers.")
    static let declaration = Declaration(
        "serve", "Serve records over HTTPS.",
        discussion: """
            Prints one line with its address when it is ready, and logs to standard error.
            With --storage several processes, on one machine or many, serve one database; they share the folder of files in --data.
            A certificate that is replaced is noticed, at once after SIGHUP; open connections go on.
            Limits, rate and quota are set in the file; without one they have their defaults.
            """,
        parameters: [
            config.declaration, Shared.data.declaration, Shared.storage.declaration, address.declaration, port.declaration, certificate.declaration, key.declaration,
            publicURL.declaration,
        ],
        exitCodes: [
            (.noInput, "There is no service in the data directory or the database, or no certificate."), (.unavailable, "The address cannot be used."),
            (.temporaryFailure, "Another process serves the data directory."), (.configuration, "The file has faults; all are printed."),
        ])

    /// The service manager allows more; 5 s with the last answers and the closing of the database.
    private static let drainTime: Duration = .seconds(3)

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        guard (0...65_535).contains(arguments.required(Self.port)) else { throw UsageError("a port is 0 to 65535", argument: "--port") }
        let files = [Self.certificate, Self.key].compactMap { arguments.value(of: $0) }
        if arguments.value(of: Self.config) != nil {
            guard files.isEmpty, arguments.value(of: Shared.storage) == nil else { throw UsageError("the file says this already; give one or the other", argument: "--config") }
        } else if files.count < 2 {
            throw UsageError("say --config FILE, or --certificate FILE and --key FILE")
        }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let signals = SignalStream([SIGTERM, SIGINT, SIGHUP])
        let manager = ServiceManagerNotification(socketPath: ProcessInfo.processInfo.environment["NOTIFY_SOCKET"])
        let settings = try settings()
        let http = try settings.http()
        let place = ServicePlace(directory: DataDirectory(path: settings.dataDirectory), target: settings.target)
        let (lock, isAlone) = try place.lock()
        let storage = try place.open(connections: settings.storageConnections)
        let server = try RecordServer.start(
            settings.service, http: http, on: try ListenSocket(host: settings.address, port: settings.port), storage: storage,
            assets: try place.assets(of: storage, isServed: !isAlone), log: .standardError)
        let host = settings.address.contains(":") ? "[\(settings.address)]" : settings.address
        console.printLine("listening on https://\(host):\(server.port ?? 0)")
        console.output.flush()
        manager.ready()
        await waitForEnd(signals, settings, server)
        manager.stopping()
        await server.stop(within: Self.drainTime)
        withExtendedLifetime(lock) {}
        return .success
    }

    /// Serves until a signal says to end; SIGHUP says to read the certificate anew.
    private func waitForEnd(_ signals: SignalStream, _ settings: ServeSettings, _ server: RecordServer) async {
        let certificates = CertificateReloader(
            files: [settings.certificateFile, settings.keyFile], log: .standardError, read: { try settings.identity() },
            replace: { try server.replaceIdentity($0) })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await certificates.watch() }
            for await signal in signals.values {
                guard signal == SIGHUP else { break }
                certificates.reload()
            }
            group.cancelAll()
        }
    }

    private func settings() throws -> ServeSettings {
        var settings: ServeSettings
        if let file = arguments.value(of: Self.config) {
            settings = try ServeSettings(file: file)
        } else {
            settings = ServeSettings(
                dataDirectory: arguments.required(Shared.data), address: arguments.required(Self.address),
                port: UInt16(arguments.required(Self.port)), certificateFile: arguments.required(Self.certificate),
                keyFile: arguments.required(Self.key))
            settings.target = try arguments.place.target
        }
        settings.service.publicURL = arguments.value(of: Self.publicURL)
        return settings
    }
}
