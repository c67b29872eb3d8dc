import Foundation
import SluiceSync
import Synchronization
import Testing

@testable import SluiceCoordinator

/// Tokens that give way to others, at the client.
@Suite(.timeLimit(.minutes(10))) struct TokenTurnsTests {
    private let mark = CredentialMark(["token"])

    private final class Counts: Sendable {
        private let state = Mutex<[Int]>([0, 0])
        var most: Int { state.withLock { $0[1] } }
        func begin() { state.withLock { $0 = [$0[0] + 1, max($0[1], $0[0] + 1)] } }
        func end() { state.withLock { $0[0] -= 1 } }
    }

    /// How many of twenty requests were under way at once, at most.
    private func overlap(_ turns: TokenTurns) async throws -> Int {
        let (counts, mark) = (Counts(), mark)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await turns.run(with: mark) {
                        counts.begin()
                        for _ in 0..<50 { await Task.yield() }
                        counts.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        return counts.most
    }

    @Test func `requests go one at a time until it is known what the token is, and where it is good for one`() async throws {
        let turns = TokenTurns()
        #expect(try await overlap(turns) == 1)
        turns.learn(.single, of: mark)
        // An answer that brought none, of a request before: what was single stays so.
        turns.learn(.shared, of: mark)
        #expect(turns.isSingle)
        #expect(try await overlap(turns) == 1)
    }

    @Test func `requests with a token that stays go together`() async throws {
        let turns = TokenTurns()
        try await turns.run(with: mark) { turns.learn(.shared, of: mark) }
        let (begun, tell) = AsyncStream<Void>.makeStream()
        // Ends only while the other one is under way, or has been.
        async let first: Void = turns.run(with: mark) { for await _ in begun { break } }
        try await turns.run(with: mark) { tell.yield() }
        try await first
        #expect(!turns.isSingle)
    }

    @Test func `the end of a request with the token before lets nobody go who waits for a turn with the new one`() async throws {
        let (turns, old) = (TokenTurns(), CredentialMark(["old"]))
        try await turns.run(with: old) { turns.learn(.shared, of: old) }
        let (isOld, endOld) = AsyncStream<Void>.makeStream()
        let (began, tell) = AsyncStream<Void>.makeStream()
        let before = Task {
            try await turns.run(with: old) {
                tell.yield()
                for await _ in isOld { break }
            }
        }
        for await _ in began { break }
        let (counts, mark) = (Counts(), mark)
        let second = try await turns.run(with: mark) {
            counts.begin()
            endOld.yield()
            try await before.value
            let second = Task {
                try await turns.run(with: mark) {
                    counts.begin()
                    counts.end()
                }
            }
            for _ in 0..<200 { await Task.yield() }
            counts.end()
            return second
        }
        try await second.value
        #expect(counts.most == 1)
    }

    @Test func `an answer that was long on its way does not bring an old token back`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-token-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let configured: @Sendable () throws -> Credentials = { Credentials(apiToken: nil, userToken: "t0") }
        let newest = { () throws -> String in
            guard case .tokens(_, let user, _) = try RotatedToken.newest(StateDirectory.tokenPath(in: folder), over: configured).proof else { return "" }
            return user
        }
        try RotatedToken.keep("t1", after: "t0", configured: "t0", in: folder, over: configured)
        try RotatedToken.keep("t2", after: "t1", configured: "t0", in: folder, over: configured)
        try RotatedToken.keep("t1", after: "t0", configured: "t0", in: folder, over: configured)
        #expect(try newest() == "t2")
        // A person put another one there: it wins, also over an answer to the one before.
        let replaced: @Sendable () throws -> Credentials = { Credentials(apiToken: nil, userToken: "new") }
        try RotatedToken.keep("t3", after: "t2", configured: "t0", in: folder, over: replaced)
        #expect(try newest() == "t2")
    }
}
