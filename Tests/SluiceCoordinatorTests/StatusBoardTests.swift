import Testing

@testable import SluiceCoordinator

/// What an account shows of itself, and who waits for it to change.
@Suite struct StatusBoardTests {
    private func board() -> StatusBoard { StatusBoard(AccountStatus(account: "a", state: "starting")) }

    @Test func `a change has a new revision and wakes who waits; an update that changes nothing does neither`() async {
        let board = board()
        let first = board.revision
        board.update { $0.state = "starting" }
        #expect(board.revision == first)
        async let woken: Void = board.wait(whileRevisionIs: first)
        board.update { $0.pending = 3 }
        await woken
        #expect(board.revision == first + 1)
        #expect(board.status.pending == 3)
        // Who comes late has nothing to wait for.
        await board.wait(whileRevisionIs: first)
    }

    @Test func `nobody can give a status a revision of its own`() {
        let board = board()
        let first = board.revision
        board.update { $0 = AccountStatus(account: "a", state: "idle") }
        #expect(board.revision == first + 1)
    }

    @Test func `a wait ends when its task is cancelled, and at release`() async {
        let board = board()
        let revision = board.revision
        let waits = (0..<20).map { _ in Task { await board.wait(whileRevisionIs: revision) } }
        for wait in waits[..<10] { wait.cancel() }
        for wait in waits[..<10] { await wait.value }
        while board.waiterCount < 10 { await Task.yield() }
        board.release()
        for wait in waits { await wait.value }
        #expect(board.revision == revision && board.waiterCount == 0)
    }

    @Test func `many changes at once are each counted`() async {
        let board = board()
        let first = board.revision
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { board.update { $0.pending += 1 } } }
        }
        #expect(board.revision == first + 100 && board.status.pending == 100)
    }
}
