/// Whether the core waits, until when and why, and for how long it will the next time.
struct Wait: Sendable {
    private var current: (since: Int64, until: Int64, reason: WaitReason)?
    private var backoff = Backoff()
    /// The time for which the clock was asked to wake us.
    private var askedFor: Int64?

    /// The state to show; nil where nothing is waited for.
    var state: SyncState? { current.map { .waiting(until: $0.until, reason: $0.reason) } }

    /// Waits, after a failure: longer each time in a row, or as long as the service asked for.
    /// - Parameters:
    ///   - asked: seconds.
    ///   - now: milliseconds since 1970.
    mutating func begin(_ reason: WaitReason, asked: Double?, at now: Int64, random: UInt64) {
        let until = now + backoff.next(random: random, asked: asked)
        // Several operations in flight fail together; the longest wait counts.
        // One from before the clock was put back is no measure.
        let earlier = current.flatMap { now >= $0.since ? $0.until : nil } ?? 0
        current = (now, max(until, min(earlier, now + Backoff.longestAsked)), reason)
    }

    /// A clock went off. Once the clock has been put back, the time to go on may be years away.
    mutating func woke(at now: Int64) {
        guard let wait = current else { return }
        if now >= wait.until || now < wait.since { current = nil } else { askedFor = nil }
    }

    mutating func end() { current = nil }

    /// Something worked: the next wait is a short one again.
    mutating func succeed() {
        backoff.reset()
        current = nil
    }

    mutating func resetBackoff() { backoff.reset() }

    /// The time to be woken at, once for each; nil where none has to be asked for. Asked where nothing else is done.
    mutating func timeToAskFor() -> Int64? {
        guard let until = current?.until, askedFor != until else { return nil }
        askedFor = until
        return until
    }

    mutating func forgetAsked() { askedFor = nil }
}
