// History of a store that nobody but its containers looks after: bounded at open, and every now and then after a save. A little at a
// time, so that a save that has to do it is not late by much; what is left goes with the next ones.

import SluiceStore

/// When history has to be looked at again. Used under the store's write lock.
struct HistoryUpkeep {
    /// The log's position when it was last found short enough; nil until it was.
    private var position: Int64?
    private var moment = ContinuousClock.now
    private var commitCount = 0

    /// Looks after so many changes, so many commits, or that long.
    private static let changeCount: Int64 = 10_000
    private static let commitCount = 1_000
    private static let interval = Duration.seconds(3_600)

    /// Notes a commit; whether it is time to look.
    mutating func isDue(after position: Int64) -> Bool {
        commitCount += 1
        guard let last = self.position else { return true }
        return position - last >= Self.changeCount || commitCount >= Self.commitCount || ContinuousClock.now - moment >= Self.interval
    }

    mutating func noteEnd(at position: Int64) { self = HistoryUpkeep(position: position) }

    init() {}
    private init(position: Int64) { self.position = position }
}

extension OpenStore {
    /// Deletes history beyond the configuration's retention, as far as this store's containers are the ones to do it.
    ///
    /// What goes wrong is no reason to refuse an open or a save that was done: it is tried again later.
    func pruneHistory(after position: Int64? = nil) {
        guard custom == nil, isWritable, !isSynced else { return }
        // For the reason above.
        try? write { store in
            if let position, !upkeep.isDue(after: position) { return }
            let retention = configuration.historyRetention
            let outcome = try store.pruneHistory(before: retention.bound(at: store.nowMilliseconds), keeping: retention.changeCount)
            if outcome.count > 0 { try store.collectExternalValues() }
            if outcome.isComplete { upkeep.noteEnd(at: try store.lastChange()) }
        }
    }
}
