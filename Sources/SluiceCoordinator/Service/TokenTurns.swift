import SluiceSync
import Synchronization

/// Whose turn it is to use a token that may be good for one request only.
///
/// Nobody knows of a token what its service makes of it before the first answer; until then, and where an answer named another token and no time
/// for which both are good, requests go one at a time, each with the token that the one before brought. All requests with one token file share one
/// of these.
final class TokenTurns: Sendable {
    enum Use: Sendable {
        case unknown
        /// One request, whose answer brings the next token.
        case single
        case shared
    }

    private struct State {
        /// Of which credentials `use` was learnt.
        var mark: CredentialMark?
        var use = Use.unknown
        var isTaken = false
        /// Told whether they have a turn, or need none any more.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    /// Guards everything above, and the file of the newest token while it is replaced.
    private let state = Mutex(State())

    var isSingle: Bool { state.withLock { $0.use == .single } }

    /// Runs `body` when it is its turn.
    /// - Parameter mark: what a person put there; what was learnt of other credentials counts no more.
    func run<Result: Sendable>(with mark: CredentialMark, _ body: () async throws -> Result) async throws -> Result {
        let hasTurn = await take(mark)
        defer { if hasTurn { pass() } }
        return try await body()
    }

    /// What an answer told.
    func learn(_ use: Use, of mark: CredentialMark) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            // A token that stays for a while is announced late: what was once single stays so until a person brings another.
            guard state.mark == mark, state.use != .single else { return [] }
            state.use = use
            guard use == .shared else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for next in waiting { next.resume(returning: false) }
    }

    /// Runs `body` while nobody else replaces the newest token.
    func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result { try state.withLock { _ in try body() } }

    /// - Returns: whether the caller has a turn, which it has to pass on; false where none is needed.
    private func take(_ mark: CredentialMark) async -> Bool {
        await withCheckedContinuation { continuation in
            let hasTurn = state.withLock { state -> Bool? in
                if state.mark != mark { (state.mark, state.use) = (mark, .unknown) }
                if state.use == .shared { return false }
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return nil
            }
            if let hasTurn { continuation.resume(returning: hasTurn) }
        }
    }

    private func pass() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
