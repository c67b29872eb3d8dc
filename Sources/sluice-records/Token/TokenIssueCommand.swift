import Foundation
import SluiceCommandLine
import SluiceRecordService
import SluiceRecords

/// `sluice-records token issue`: a token for a person's device, or one more API token.
struct TokenIssueCommand: AsynchronousCommand {
    static let user = Parameter<String>.option("user", short: "u", value: "NAME", help: "Whose private database it opens; made where it is new.")
    static let holder = Parameter<String>.option(
        "holder", value: "NAME", help: "The device that uses it; the user's name without one. Its operation ids are its own.")
    static let api = Flag("api", help: "An API token, which names a container and nobody.")
    static let expires = Parameter<Duration>.option("expires", value: "DURATION", help: "How long it is good for; for ever without one.")
    static let rotation = Parameter<TokenRotation>.option(
        "rotation", value: "KIND", help: "Answers bring the next token: lenient, every ten minutes, or strict, each of them, with one request at a time.")
    static let declaration = Declaration(
        "issue", "Make a token and print it.", discussion: "It is printed once, alone on standard output; the service keeps only its hash.",
        parameters: [
            user.declaration, holder.declaration, api.declaration, expires.declaration, rotation.declaration, Shared.data.declaration, Shared.storage.declaration, Shared.container.declaration,
            Shared.environment.declaration,
        ],
        exitCodes: [(.noInput, "There is no service in the data directory.")])

    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func validate() throws(UsageError) {
        let user = arguments.value(of: Self.user)
        guard (user != nil) != arguments.isSet(Self.api) else { throw UsageError("say --user NAME or --api") }
        if user?.isEmpty == true { throw UsageError("a user has a name", argument: "--user") }
        if user == nil, arguments.value(of: Self.holder) != nil { throw UsageError("an API token has no holder", argument: "--holder") }
        if user == nil, arguments.value(of: Self.rotation) != nil { throw UsageError("an API token does not rotate", argument: "--rotation") }
        if let time = arguments.value(of: Self.expires), time <= .zero { throw UsageError("it would have expired", argument: "--expires") }
    }

    func run(_ console: Console) async throws -> ExitCode {
        let storage = try arguments.place.open()
        var random = SystemRandomNumberGenerator()
        let user = arguments.value(of: Self.user)
        let token = user == nil ? AccessToken.api(&random) : AccessToken.user(&random)
        let expires = arguments.value(of: Self.expires).map { StorageEnvironment.system.now() + Int64($0 / .milliseconds(1)) }
        var new = NewToken(
            user.map { .user(name: $0, holder: arguments.value(of: Self.holder) ?? $0) } ?? .api, digest: token.digest,
            container: arguments.required(Shared.container), environment: arguments.required(Shared.environment), expires: expires)
        new.rotation = arguments.value(of: Self.rotation).map { NewToken.Rotation($0, successor: token.successor(key: storage.assetKey).digest) }
        try await storage.addToken(new)
        await storage.close()
        console.printLine(token.text)
        return .success
    }
}
