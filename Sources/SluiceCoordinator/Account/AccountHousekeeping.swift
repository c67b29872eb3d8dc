// What an account does by itself: waits for the service to have something new, looks on a schedule all the same, notices edits by other programs,
// and keeps everything that grows within its bounds.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceStore
import SluiceSync

extension AccountRuntime {
    private static let waitSeconds = ServiceLimits.waitSeconds
    /// After an answer without news that came sooner than this (another zone changed), the next question waits.
    private static let shortestWait: Duration = .seconds(1)
    /// Seconds between two attempts to wait at a service that refuses it.
    private static let longestPause = 60

    /// Long polling. Hints only: the feed itself is asked by the core.
    func watchService() async {
        var token: String?
        var canWait = false
        var failureCount = 0
        while !isStopping, !Task.isCancelled {
            await waitUntilWatching()
            guard !isStopping else { return }
            let started = ContinuousClock.now
            do {
                let answer = try await client.waitForChanges(after: token, seconds: canWait ? Self.waitSeconds : 0)
                // The first answer says where the zone stands now: news may have come before anybody waited for it.
                let zone = answer.zones.first { $0.zoneID.zoneName == plan.zone }
                let isNews = try zone.map { try $0.isDeleted || $0.syncToken == nil || $0.syncToken != session?.journal.token } ?? false
                // Where the zone stands does not say whether it has what it acknowledged since: only the feed is asked for that.
                let isNew = try isNews || zone != nil && session?.journal.seenTags.isEmpty == false
                token = answer.syncToken
                failureCount = 0
                if isNew { handle(.shouldPull) }
                canWait = answer.epoch != nil && !client.sendsOneAtATime
                if !canWait {
                    // A service without our extensions answers at once, whatever it is asked, and a token for one request at a time is needed by
                    // others: the schedule's pace has to do.
                    try await Task.sleep(for: plan.pollInterval)
                } else if !isNew, started.duration(to: .now) < Self.shortestWait {
                    try await Task.sleep(for: Self.shortestWait)
                }
            } catch {
                guard !isStopping, !Task.isCancelled else { return }
                token = nil
                // The service went, or the token did: a pull finds out which, and the status says so. A service that only cannot wait is
                // not pulled from again for it.
                if failureCount == 0 { handle(.shouldPull) }
                failureCount += 1
                let longest = min(Self.longestPause, 1 << min(failureCount, 10))
                do { try await Task.sleep(for: .milliseconds(500 + .random(in: 0...1_000 * longest))) } catch { return }
            }
        }
    }

    /// A store that could not be opened or filled is tried again: a full disk, a missing mount and a wrong mode get mended.
    private static let openInterval: Duration = .seconds(5)
    private static let legacyInterval: Duration = .seconds(60)
    private static let houseInterval: Duration = .seconds(1)

    /// The schedule, edits by other programs, retention.
    func keepHouse() async {
        var sincePoll: Duration = .zero
        var sincePruning: Duration = .zero
        var sinceAttempt: Duration = .zero
        var sinceLegacy: Duration = .zero
        while !isStopping {
            do { try await Task.sleep(for: Self.houseInterval) } catch { return }
            sincePoll += Self.houseInterval
            sincePruning += Self.houseInterval
            if session == nil || projectionFailure != nil { sinceAttempt += Self.houseInterval }
            if sinceAttempt >= Self.openInterval {
                sinceAttempt = .zero
                if session == nil { openStore() } else { projectChanges() }
            }
            if session != nil { sinceLegacy += Self.houseInterval }
            if sinceLegacy >= Self.legacyInterval {
                sinceLegacy = .zero
                retryLegacyStores()
            }
            if sincePoll >= plan.pollInterval {
                sincePoll = .zero
                handle(.shouldPull)
            }
            do {
                if try session?.wasChangedElsewhere() == true {
                    projectChanges()
                    changedLocally()
                }
                try session?.sweep()
                if sincePruning >= .seconds(3_600) {
                    sincePruning = .zero
                    try prune()
                }
            } catch { log(.error("account \(name): \(error)")) }
        }
    }

    private func prune() throws {
        guard let store = session?.store else { return }
        let retention = Int64(plan.historyRetention / .milliseconds(1))
        try store.pruneChanges(before: milliseconds - retention)
        try session?.collectExternalValues()
        try store.pruneTombstones(before: milliseconds - Int64(ServiceLimits.tombstoneDays) * 86_400_000)
        try expireLegacyCopies()
        if try store.connection.checkpoint().isBlocked { log(.notice("account \(name): a reader keeps the log of the store from being emptied")) }
    }
}
