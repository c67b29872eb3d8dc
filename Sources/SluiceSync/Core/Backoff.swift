/// Full jitter: a random time up to a bound that doubles with every failure in a row.
package struct Backoff: Sendable, Hashable {
    /// Milliseconds.
    static let first: Int64 = 1_000
    static let longest: Int64 = 300_000
    /// A service that asks for more patience than this is asked again all the same, and shown.
    static let longestAsked: Int64 = 3_600_000
    static let shortest: Int64 = 200

    private(set) var failureCount = 0

    /// The wait before the next attempt, in milliseconds.
    mutating func next(random: UInt64, asked seconds: Double?) -> Int64 {
        let bound = min(Self.longest, Self.first << Int64(min(failureCount, 20)))
        failureCount += 1
        if let seconds, seconds.isFinite, seconds > 0 { return min(Int64(seconds * 1_000), Self.longestAsked) }
        return Self.shortest + Int64(random % UInt64(bound))
    }

    mutating func reset() { failureCount = 0 }
}
