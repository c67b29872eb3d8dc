import Synchronization

/// Who may send with a token that dies with the answer to its next use: one request at a time, each with what the last answer brought.
///
/// Nobody can tell beforehand whether a service rotates tokens: the first answer does, and until then requests take turns too. Shared by all
/// clients of one token. Safe on any thread.
package final class TokenTurns: Sendable {
    /// A request's turn; nil where it needs none.
    package struct Turn: Sendable { fileprivate init() {} }

    private struct Contents {
        /// Nil before the first answer.
        var isRotating: Bool?
        var isTaken = false
        var waiters: [CheckedContinuation<Turn?, Never>] = []

        var areNeeded: Bool { isRotating ?? true }
    }

    private let contents = Mutex(Contents())

    package init() {}

    /// Whether the service is known to rotate tokens.
    package var areTaken: Bool { contents.withLock { $0.isRotating == true } }

    /// Returns when it is the caller's turn, in the order of asking. Whoever waits for a request that is cancelled waits for its end.
    package func take() async -> Turn? {
        await withCheckedContinuation { continuation in
            let isOver = contents.withLock { contents -> Turn?? in
                guard contents.areNeeded else { return .some(nil) }
                guard contents.isTaken else {
                    contents.isTaken = true
                    return .some(Turn())
                }
                contents.waiters.append(continuation)
                return nil
            }
            if let isOver { continuation.resume(returning: isOver) }
        }
    }

    /// Lets the next one go.
    package func end(_ turn: Turn?) {
        guard turn != nil else { return }
        let (next, free) = contents.withLock { contents -> (CheckedContinuation<Turn?, Never>?, [CheckedContinuation<Turn?, Never>]) in
            if contents.areNeeded, !contents.waiters.isEmpty { return (contents.waiters.removeFirst(), []) }
            contents.isTaken = false
            defer { contents.waiters = [] }
            return (nil, contents.waiters)
        }
        next?.resume(returning: Turn())
        for waiter in free { waiter.resume(returning: nil) }
    }

    /// What an answer showed. A service that has rotated a token once is taken to go on with it.
    package func note(isRotating: Bool) {
        contents.withLock { contents in
            if contents.isRotating != true { contents.isRotating = isRotating }
        }
    }
}
