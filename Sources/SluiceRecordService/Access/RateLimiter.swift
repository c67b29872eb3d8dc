import Synchronization

/// A bucket per token: each request takes one, time puts back. An empty bucket means wait.
package final class RateLimiter: Sendable {
    private struct Bucket {
        var level: Double
        var time: Int64
    }

    /// Requests per second that a token may make for long.
    private let rate: Double
    /// Requests that it may make at once after a pause.
    private let burst: Double
    private let buckets = Mutex<[Int64: Bucket]>([:])
    /// Above this many, those that are full again are forgotten: they say nothing.
    private static let bucketCountMax = 10_000

    package init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
    }

    /// Takes one request of a token.
    /// - Parameter now: milliseconds.
    /// - Returns: nil, or the whole seconds until the next one is allowed.
    package func secondsToWait(token: Int64, now: Int64) -> Int? {
        buckets.withLock { buckets in
            var bucket = buckets[token] ?? Bucket(level: burst, time: now)
            bucket.level = min(burst, bucket.level + Double(max(0, now - bucket.time)) / 1_000 * rate)
            bucket.time = now
            let wait = bucket.level >= 1 ? nil : max(1, Int(((1 - bucket.level) / rate).rounded(.up)))
            if wait == nil { bucket.level -= 1 }
            buckets[token] = bucket
            if buckets.count > Self.bucketCountMax { forgetFull(&buckets, now) }
            return wait
        }
    }

    private func forgetFull(_ buckets: inout [Int64: Bucket], _ now: Int64) {
        buckets = buckets.filter { $0.value.level + Double(now - $0.value.time) / 1_000 * rate < burst }
    }
}
