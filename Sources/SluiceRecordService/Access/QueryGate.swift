import SluiceRecords
import Synchronization

/// Lets only so many queries of one user run or wait at a time: they share one reader, and one user's must not keep everybody else's waiting.
final class QueryGate: Sendable {
    private let counts = Mutex<[DatabaseID: Int]>([:])

    /// Runs `body` where the user has not too many under way already.
    /// - Throws: `THROTTLED` where there are.
    func pass<Result>(_ database: DatabaseID, _ body: () async throws -> Result) async throws -> Result {
        let isTaken = counts.withLock { counts in
            guard counts[database, default: 0] < ServiceLimits.queriesAtOnce else { return false }
            counts[database, default: 0] += 1
            return true
        }
        guard isTaken else { throw ServerError(.throttled, "too many queries at a time", retryAfter: 1) }
        defer {
            counts.withLock { counts in
                let left = counts[database, default: 1] - 1
                counts[database] = left > 0 ? left : nil
            }
        }
        return try await body()
    }
}
