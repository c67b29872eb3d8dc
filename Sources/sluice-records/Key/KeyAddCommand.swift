import SluiceCommandLine
import SluiceDigest
import SluiceRecordService

/// `sluice-records key add`: a key that was made elsewhere, so that its private half never comes here.
struct KeyAddCommand: AsynchronousCommand {
    static let file = Parameter<String>.positional("FILE", help: "The public key, PEM: openssl ec -in PRIVATE -pubout")
    static let declaration = Declaration(
        "add", "Take a public key in and print its identifier.",
        discussion: "For a key that `openssl ecparam -name prime256v1 -genkey -noout` made. It opens the private database of one user, and nothing else.",
        parameters: [file.declaration] + KeyBinding.parameters,
        exitCodes: [
            (.noInput, "There is no service in the data directory, or no such file."), (.data, "The file holds no public key on P-256."),
            (.cannotCreate, "The service knows the key already."),
        ])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) { try KeyBinding.validate(arguments) }

    func run(_ console: Console) async throws -> ExitCode {
        let path = arguments.required(Self.file)
        let text = try SecretFiles.read(path, isSecret: false)
        let key: VerificationKey
        do throws(KeyError) { key = try VerificationKey(pem: text) } catch { throw KeyFileError(path: path, error: error) }
        let storage = try arguments.place.open()
        try await KeyBinding.add(key, to: storage, arguments)
        await storage.close()
        console.printLine(key.identifier.hexadecimal)
        return .success
    }
}

/// A file that holds no key that can be used.
struct KeyFileError: Error, CustomStringConvertible, ExitCodeProviding {
    let path: String
    let error: KeyError

    var description: String { "\(path): \(error)" }
    var exitCode: ExitCode { .data }
}
