import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceCoordinator

/// One account's coordinator, seen from outside; what does not answer is a status too.
struct AccountView: Sendable {
    let name: String
    private let stateDirectory: String

    init(_ account: (name: String, configuration: AccountConfiguration)) {
        name = account.name
        stateDirectory = account.configuration.synced.stateDirectory
    }

    func client() throws -> ControlClient { try ControlClient(account: name, stateDirectory: stateDirectory) }

    /// - Parameter query: of the status request, with its question mark.
    /// - Throws: what is no answer of a coordinator, and no lack of one.
    func status(_ query: String = "", from client: ControlClient) async throws -> AccountStatus {
        do {
            return try await client.get("/v1/status" + query)
        } catch let failure as ControlFailure {
            var status = AccountStatus(account: name, state: failure.code == "unavailable" ? "stopped" : "blocked")
            status.reason = failure.message
            return status
        }
    }
}

/// `sluice status --watch`: each change of each account, until it is interrupted.
struct StatusWatch {
    /// Changes that come faster than a person reads are shown together.
    private static let pause: Duration = .milliseconds(200)
    /// Between two looks for a coordinator that does not answer.
    private static let absence: Duration = .seconds(1)

    private let views: [AccountView]
    private let printsJSON: Bool

    init(_ accounts: [(name: String, configuration: AccountConfiguration)], printsJSON: Bool) {
        views = accounts.map { AccountView($0) }
        self.printsJSON = printsJSON
    }

    /// - Throws: as soon as no one reads any more.
    func run(_ console: Console) async throws -> ExitCode {
        let (changes, continuation) = AsyncStream.makeStream(of: Result<AccountStatus, any Error>.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for view in views { group.addTask { await Self.follow(view, continuation) } }
            defer { group.cancelAll() }
            var shown: [String: AccountStatus] = [:]
            for await change in changes {
                let status = try change.get()
                shown[status.account] = status
                if !printsJSON, console.output.isTerminal {
                    redraw(views.compactMap { shown[$0.name] }, console)
                } else if printsJSON {
                    try console.printJSON(status)
                } else {
                    console.printLine(StatusText.line(status, at: Date()))
                }
                guard console.output.flush() else { return .success }
            }
            return .success
        }
    }

    /// From the top of the screen, and nothing of before below it.
    private func redraw(_ statuses: [AccountStatus], _ console: Console) {
        console.output.write("\u{1B}[H\u{1B}[2J" + StatusText.lines(statuses).map { $0 + "\n" }.joined())
    }

    private static func follow(_ view: AccountView, _ changes: AsyncStream<Result<AccountStatus, any Error>>.Continuation) async {
        var last: AccountStatus?
        // Kept while somebody answers: the next coordinator may have another state directory under the same path.
        var client: ControlClient?
        do {
            while !Task.isCancelled {
                let current = try client ?? view.client()
                let status = try await view.status(last?.revision.map { "?after=\($0)" } ?? "", from: current)
                client = status.revision == nil ? nil : current
                if status != last { changes.yield(.success(status)) }
                last = status
                try await Task.sleep(for: status.revision == nil ? absence : pause)
            }
        } catch is CancellationError {
            return
        } catch {
            changes.yield(.failure(error))
        }
    }
}
