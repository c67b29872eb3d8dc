import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// `sluice projection explain`: what fills the group containers, and what makes it look again.
struct ProjectionExplain: AsynchronousCommand {
    static let declaration = Declaration(
        "explain", "Explain what fills the group containers of an account.",
        discussion: """
            For each rule: its statement and SQLite's plan, the indices in it, the rows that helpers see, whose changes make it look again, and what \
            such a change costs. Without a coordinator the account file is explained; rows are not counted then.
            """,
        parameters: [
            ProjectionOptions.group.declaration, AccountOption.account.declaration, AccountOption.config.declaration,
            ProjectionOptions.json.declaration,
        ],
        exitCodes: [
            (.success, "Every rule is explained."), (.noInput, "The account fills no such group container."),
            (.configuration, "The account file has faults."),
            (.unavailable, "No coordinator answers, and the schema is known to it alone."),
        ])

    private let option: AccountOption
    private let group: String?
    private let printsJSON: Bool

    init(_ arguments: Arguments) {
        option = AccountOption(arguments)
        group = arguments.value(of: ProjectionOptions.group)
        printsJSON = arguments.isSet(ProjectionOptions.json)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let groups = try await explained(console)
        for group in groups {
            if printsJSON { try console.printJSON(group) } else { for line in group.lines { console.printLine(line.printable) } }
        }
        return .success
    }

    private func explained(_ console: Console) async throws -> [ProjectionResponse.Group] {
        do {
            let query = group?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).map { "?group=\($0)" } ?? ""
            let response: ProjectionResponse = try await option.client().get("/v1/projection" + query)
            return response.groups
        } catch let failure as ControlFailure where failure.code == "unavailable" {
            guard let groups = try ProjectionExplanations.groups(of: option.configuration(), only: group) else { throw failure }
            console.report("no coordinator answers; this is what the account file says")
            return groups
        }
    }
}
