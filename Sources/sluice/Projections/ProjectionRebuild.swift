import SluiceCommandLine
import SluiceCoordinator

/// `sluice projection rebuild`: new local stores, filled from nothing.
struct ProjectionRebuild: AsynchronousCommand {
    static let declaration = Declaration(
        "rebuild", "Build the local stores of an account anew.",
        discussion: """
            The running coordinator fills a new numbered store and moves the pointer to it; helpers read the old one until then. Needed only where \
            somebody changed a local store by hand: the coordinator does it by itself when rules or schema change.
            """,
        parameters: [
            ProjectionOptions.group.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            AccountOption.noWait.declaration, ProjectionOptions.json.declaration,
        ],
        exitCodes: [
            (.success, "Every group container that was asked for has a new store."), (.noInput, "The account fills no such group container."),
            (.inputOutput, "One could not be built; helpers read on in the store that was there."),
            (.temporaryFailure, "The store migrates, and --no-wait was given."), (.unavailable, "No coordinator answers."),
        ])

    private let option: AccountOption
    private let request: RebuildRequest
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        request = RebuildRequest(group: arguments.value(of: ProjectionOptions.group))
        printsJSON = arguments.isSet(ProjectionOptions.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let response: RebuildResponse = try await option.client().post("/v1/projection/rebuild", request)
        for group in response.groups {
            if printsJSON { try console.printJSON(group) }
            if let problem = group.problem {
                console.report("group \(group.group): \(problem)".printable)
            } else if !printsJSON {
                let rows = group.rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                console.printLine("group \(group.group): \(group.file ?? ""), generation \(group.generation ?? 0), \(rows)".printable)
            }
        }
        return response.groups.contains { $0.problem != nil } ? .inputOutput : .success
    }
}
