import Foundation
import Glibc

/// A TLS server with a certificate of its own: the `openssl` command, which prints what it is told over TLS.
final class TLSServer {
    let folder: URL
    let port: Int
    private let process = Process()
    private let output = Pipe()

    var certificate: String { folder.appending(path: "certificate.pem").path }

    /// - Parameter answersPages: whether it answers GET with a page; otherwise it prints what it receives.
    init(name: String = "localhost", answersPages: Bool) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sluice-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = folder.appending(path: "key.pem").path
        let certificate = folder.appending(path: "certificate.pem").path
        try Self.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key,
            "-out", certificate, "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
        ])
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + (answersPages ? ["-www"] : [])
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = Pipe()
        try process.run()
        // The line "ACCEPT 127.0.0.1:PORT" says that it listens.
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { throw POSIXError(.ECONNREFUSED) }
            text += String(decoding: piece, as: UTF8.self)
        }
        let digits = text.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
        guard let port = Int(digits) else { throw POSIXError(.ECONNREFUSED) }
        self.port = port
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(host: String = "localhost") throws -> URL { URL(string: "https://\(host):\(port)/")! }

    /// Stops it and gives everything it printed.
    func finish() throws -> String {
        stop()
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// A child may inherit a mask that keeps the gentler signals from it.
    private func stop() { kill(process.processIdentifier, SIGKILL) }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }
}
