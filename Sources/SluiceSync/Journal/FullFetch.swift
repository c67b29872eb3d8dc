// Fetching everything again, and what its end means.
//
// - Token expired on the same timeline: a record that was acknowledged once and does not come any more was deleted elsewhere.
// - The service lost its memory (another epoch, or a token that matches no entry): what does not come was lost, not deleted. Every record
//   and every known tombstone goes into the outbox without its tag, the feed is merged over that, and what the service has already is taken
//   off again. So does a user's reset of encrypted data: the devices have them still.
// - The zone was deleted and somebody made it again: what does not come was deleted with it, but for what was not sent (ZoneLeaving.swift).
//
// The fetch has a number; it is kept in the store, so that a crash in its middle goes on with it.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

extension SyncJournal {
    package enum FullFetchReason: Int64, Sendable {
        /// Records that do not come were deleted.
        case tokenExpired = 1
        /// Records that do not come were lost, and are sent again.
        case serviceLostMemory = 2
        case encryptedDataReset = 3
        /// Records that do not come were deleted with their zone; what was not sent of them stays, and is sent.
        case zoneDeleted = 4
        /// The same, but what was not sent is set aside.
        case zonePurged = 5

        package var text: String {
            switch self {
            case .tokenExpired: "the token expired"
            case .serviceLostMemory: "the service lost its memory"
            case .encryptedDataReset: "the user reset encrypted data"
            case .zoneDeleted: "the zone was deleted and made again"
            case .zonePurged: "the user had the zone purged, and it was made again"
            }
        }

        /// Whether everything here goes to the service once more.
        var resends: Bool { self == .serviceLostMemory || self == .encryptedDataReset }
        /// Whether the zone that the rows belonged to is no more.
        var leavesZone: Bool { self == .zoneDeleted || self == .zonePurged }
    }

    /// Why everything is fetched; nil in an ordinary pull.
    var fullFetchReason: FullFetchReason? {
        get throws { try store.syncValue(.fullFetch)?.integer.flatMap { FullFetchReason(rawValue: $0) } }
    }

    /// The number of the full fetch under way; nil in an ordinary pull.
    var currentFullFetch: Int64? {
        get throws { try store.syncValue(.fullFetch)?.integer.flatMap { $0 > 0 ? try store.syncValue(.fetchNumber)?.integer : nil } }
    }

    /// Whether a full fetch is under way.
    package var isFullFetch: Bool { get throws { try currentFullFetch != nil } }

    /// Whether the zone was there when this device last heard of it: it has a token, or lost it on a timeline that it still is on.
    var knowsZone: Bool {
        get throws { try token != nil || fullFetchReason.map { !$0.resends } ?? false }
    }

    /// Drops the token; the next pull asks for everything.
    package func beginFullFetch(_ reason: FullFetchReason) throws {
        try store.connection.joiningTransaction {
            try store.drainChanges()
            let number = (try store.syncValue(.fetchNumber)?.integer ?? 0) + 1
            try store.setSyncValue(.null, for: .token)
            // On the same timeline what was acknowledged has to be there still.
            if reason != .tokenExpired { try forgetSeen() }
            // It comes again, if it is still there.
            try store.emptyInbox()
            try store.setSyncValue(.integer(number), for: .fetchNumber)
            try store.setSyncValue(.integer(store.nextOperationNumber() - 1), for: .fetchOperation)
            try store.setSyncValue(.integer(reason.rawValue), for: .fullFetch)
            if reason.resends { try resendEverything() }
            if reason.leavesZone { try loosen() }
        }
    }

    /// After the end of a feed: begins a full fetch where a migration asked for one. It waits for that end because only a token shows that the
    /// service still has the past that this device knows.
    /// - Returns: whether one began.
    package func beginRefetch() throws -> Bool {
        guard try store.syncValue(.refetch)?.integer == 1 else { return false }
        try store.connection.transaction {
            try beginFullFetch(.tokenExpired)
            try store.setSyncValue(.integer(0), for: .refetch)
        }
        return true
    }

    private func resendEverything() throws {
        for number in try store.frozenOperationNumbers() { try store.thaw(number, reconciling: false) }
        try store.forgetTags()
        for table in store.tablesToSend { try store.resendAll(in: table) }
        try store.resendDeparted()
        try store.resendTombstones()
    }

    /// The end of the feed: the inbox is applied as a set, and a full fetch draws its conclusions.
    package func finishFeed(latestStamp: Int64) throws -> PageSummary {
        try store.connection.joiningTransaction {
            try store.write(.pull) {
                var applier = RecordApplier(journal: self, fullFetch: try currentFullFetch, latestStamp: latestStamp)
                try InboxResolution(journal: self).run(&applier)
                if let number = try currentFullFetch {
                    switch try fullFetchReason {
                    case .tokenExpired: try deleteAbsent(fetch: number, &applier)
                    case .zoneDeleted: try deleteZoneRows(.deleted, fetch: number, &applier)
                    case .zonePurged: try deleteZoneRows(.purged, fetch: number, &applier)
                    case .serviceLostMemory, .encryptedDataReset, nil: break
                    }
                    try store.setSyncValue(.integer(0), for: .fullFetch)
                }
                return applier.summary
            }
        }
    }

    func deleteAbsent(fetch: Int64, _ applier: inout RecordApplier) throws {
        let batch = 500
        while true {
            let names = try store.recordsNotSeen(fetch: fetch, limit: batch)
            for name in names {
                try applier.applyDeletion(of: name)
                // A row that beats its tombstone stays, and must not be met again.
                try store.removeRecordState(of: name)
            }
            if names.count < batch { return }
        }
    }
}
