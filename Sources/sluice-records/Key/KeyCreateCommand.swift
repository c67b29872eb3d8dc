import Foundation
import SluiceCommandLine
import SluiceDigest
import SluiceRecordService
import SluiceRecords

/// `sluice-records key create`: a server-to-server key for a program that has no user token.
struct KeyCreateCommand: AsynchronousCommand {
    static let out = Parameter<String>.option("out", value: "FILE", isRequired: true, help: "Where to write the private key; it must not be there yet.")
    static let declaration = Declaration(
        "create", "Make a key and print its identifier.",
        discussion: """
            The private key is written to a file that only its owner may read, and nowhere else; the service keeps its public half.
            The key opens the private database of one user, and nothing else.
            """,
        parameters: [out.declaration] + KeyBinding.parameters,
        exitCodes: [(.noInput, "There is no service in the data directory."), (.cannotCreate, "The file is there already.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) { try KeyBinding.validate(arguments) }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        let key = try SigningKey()
        let path = arguments.required(Self.out)
        // The file first: a key that the service knows and nobody has would stay for good.
        try SecretFiles.create(path, mode: 0o600, try key.pem())
        do {
            try await KeyBinding.add(key.verificationKey, to: storage, arguments)
        } catch {
            try FileManager.default.removeItem(atPath: path)
            throw error
        }
        await storage.close()
        console.report("the private key is in \(path); its identifier:")
        console.printLine(key.verificationKey.identifier.hexadecimal)
        return .success
    }
}

/// Whom a key stands for, as the commands that add one are told.
enum KeyBinding {
    static let user = Parameter<String>.option("user", short: "u", value: "NAME", isRequired: true, help: "Whose private database it opens; made where it is new.")
    static let holder = Parameter<String>.option(
        "holder", value: "NAME", help: "The program that signs with it; the user's name without one. Its operation ids are its own.")
    static let expires = Parameter<Duration>.option("expires", value: "DURATION", help: "How long it is good for; for ever without one.")
    static let parameters =
        [user.declaration, holder.declaration, expires.declaration] + Shared.place + [Shared.container.declaration, Shared.environment.declaration]

    static func validate(_ arguments: Arguments) throws(UsageError) {
        if arguments.required(user).isEmpty { throw UsageError("a user has a name", argument: "--user") }
        if let time = arguments.value(of: expires), time <= .zero { throw UsageError("it would have expired", argument: "--expires") }
    }

    /// - Throws: `StorageError.credentialExists` for a key that the service knows.
    static func add(_ key: VerificationKey, to storage: any RecordStorage, _ arguments: Arguments) async throws {
        let user = arguments.required(user)
        try await storage.addToken(
            NewToken(
                .serverKey(publicKey: key.der, user: user, holder: arguments.value(of: holder) ?? user), digest: key.identifier,
                container: arguments.required(Shared.container), environment: arguments.required(Shared.environment),
                expires: arguments.value(of: expires).map { StorageEnvironment.system.now() + Int64($0 / .milliseconds(1)) }))
    }
}
