import Foundation
import SluiceCommandLine
import SluiceRecordService

/// `sluice-records dev-cert`: a certificate authority and a server certificate for development and private networks.
struct DevCertCommand: SynchronousCommand {
    static let out = Parameter<String>.option("out", value: "DIRECTORY", isRequired: true, help: "Where to write the four files.")
    static let names = Parameter<String>.positional("NAME", .any, help: "Host names and addresses of the server; localhost without one.")
    static let declaration = Declaration(
        "dev-cert", "Make an authority and a server certificate.",
        discussion: """
            Writes ca.pem, which clients have to trust, ca.key, server.pem and server.key.
            Keys are readable by their owner only. Files that are there already are not replaced.
            """,
        parameters: [out.declaration, names.declaration],
        exitCodes: [(.cannotCreate, "One of the files is there already.")])

    private let directory: String
    private let names: [String]

    init(_ arguments: Arguments) {
        directory = arguments.required(Self.out)
        let given = arguments.values(of: Self.names)
        names = given.isEmpty ? ["localhost", "127.0.0.1", "::1"] : given
    }

    func run(_ console: Console) throws -> ExitCode {
        let made = try DevelopmentCertificate.make(for: names, now: Date())
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try SecretFiles.create(directory + "/ca.key", mode: 0o600, made.authorityKey)
        try SecretFiles.create(directory + "/server.key", mode: 0o600, made.serverKey)
        try SecretFiles.create(directory + "/ca.pem", mode: 0o644, made.authority)
        try SecretFiles.create(directory + "/server.pem", mode: 0o644, made.server)
        console.report("certificate for \(names.joined(separator: ", ")); clients trust this authority:")
        console.printLine(directory + "/ca.pem")
        return .success
    }
}
