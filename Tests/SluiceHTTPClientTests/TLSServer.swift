import Foundation
import Glibc

/// A TLS server with a certificate of its own: the `openssl` command, which prints what it is told over TLS.
final class TLSServer {
    let certificates: CertificateFolder
    let port: Int
    private let process = Process()
    private let output = Pipe()

    var certificate: String { certificates.path("server.pem") }

    /// Makes a certificate that vouches for itself.
    /// - Parameter answersPages: whether it answers GET with a page; otherwise it prints what it receives.
    convenience init(name: String = "localhost", answersPages: Bool) throws {
        let certificates = try CertificateFolder()
        try certificates.makeRoot("server", alternativeName: name)
        try self.init(certificates, answersPages: answersPages)
    }

    /// Shows `server.pem` of that folder.
    /// - Parameter more: further arguments of `openssl s_server`; files are those of the folder.
    init(_ certificates: CertificateFolder, answersPages: Bool, _ more: [String] = []) throws {
        self.certificates = certificates
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "server.key"]
            + (answersPages ? ["-www"] : []) + more
        process.currentDirectoryURL = certificates.url
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

    deinit { stop() }

    func url(host: String = "localhost") throws -> URL { URL(string: "https://\(host):\(port)/")! }

    /// Stops it and gives everything it printed.
    func finish() throws -> String {
        stop()
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// A child may inherit a mask that keeps the gentler signals from it.
    private func stop() { kill(process.processIdentifier, SIGKILL) }
}
