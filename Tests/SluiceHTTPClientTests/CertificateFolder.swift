import Foundation

/// Certificates of a test, made by the `openssl` command; `NAME.pem` with its key in `NAME.key`.
final class CertificateFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sluice-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ file: String) -> String { url.appending(path: file).path }

    /// One that vouches for itself.
    func makeRoot(_ name: String, alternativeName: String? = nil) throws {
        try run(
            ["req", "-x509", "-days", "2", "-out", "\(name).pem", "-subj", "/CN=\(name)"] + keyArguments(name)
                + (alternativeName.map { ["-addext", "subjectAltName=DNS:\($0)"] } ?? []))
    }

    /// An authority that was valid in 2020.
    func makeExpiredRoot(_ name: String) throws {
        let settings = """
            [ca]
            default_ca = all
            [all]
            database = index
            serial = serial
            new_certs_dir = .
            default_md = sha256
            policy = names
            x509_extensions = authority
            [names]
            commonName = supplied
            [authority]
            basicConstraints = critical,CA:TRUE
            """
        try write("index", "")
        try write("serial", "01\n")
        try write("settings", settings)
        try makeRequest(name)
        try run([
            "ca", "-batch", "-config", "settings", "-selfsign", "-notext", "-keyfile", "\(name).key", "-in", "\(name).csr", "-out", "\(name).pem",
            "-startdate", "20200101000000Z", "-enddate", "20210101000000Z",
        ])
    }

    /// A certificate for `name` by `issuer`, in `file`.pem; `name` may have one of its own besides.
    /// - Parameter extensions: as openssl writes them.
    func sign(_ name: String, by issuer: String, extensions: String, as file: String) throws {
        try write("extensions", extensions + "\n")
        try makeRequest(name)
        try run([
            "x509", "-req", "-days", "2", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-CAcreateserial",
            "-extfile", "extensions", "-out", "\(file).pem",
        ])
    }

    /// Several certificates in one file, as a list of authorities.
    func join(_ names: [String], as file: String) throws {
        try write("\(file).pem", try names.map { try String(contentsOfFile: path("\($0).pem"), encoding: .utf8) }.joined())
    }

    /// The SHA-256 sum of a certificate's public key, in base64.
    func keySum(of name: String) throws -> String {
        try run(["x509", "-in", "\(name).pem", "-pubkey", "-noout", "-out", "public.pem"])
        try run(["pkey", "-pubin", "-in", "public.pem", "-outform", "der", "-out", "public.der"])
        try run(["dgst", "-sha256", "-binary", "-out", "sum", "public.der"])
        return try Data(contentsOf: url.appending(path: "sum")).base64EncodedString()
    }

    private func makeRequest(_ name: String) throws {
        let isKnown = FileManager.default.fileExists(atPath: path("\(name).key"))
        let key = isKnown ? ["-key", "\(name).key"] : keyArguments(name)
        try run(["req", "-new", "-out", "\(name).csr", "-subj", "/CN=\(name)"] + key)
    }

    private func keyArguments(_ name: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key"]
    }

    private func write(_ file: String, _ text: String) throws { try Data(text.utf8).write(to: url.appending(path: file)) }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = url
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }

    struct Failure: Error { let arguments: [String] }
}
