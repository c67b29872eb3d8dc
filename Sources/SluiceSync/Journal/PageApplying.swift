// One page of the feed becomes rows, in one transaction with the token that stands behind it (I-6). What cannot be applied yet — a
// reference whose target has not come, a unique value that another row still has — waits in the inbox, in the same transaction.

import Foundation
package import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// What a page did, for the core and for status.
package struct PageSummary: Sendable, Equatable {
    package var appliedCount = 0
    package var deletedCount = 0
    package var knownCount = 0
    package var inboxCount = 0
    /// Records that a lookup did not find.
    package var absentCount = 0
    /// Records that a lookup was refused for the moment.
    package var refusedCount = 0
    /// Fields that both sides had changed.
    package var conflictCount = 0
    /// So much was acknowledged since the last page that the feed has to confirm it.
    package var mustConfirm = false

    /// Whether a lookup left something that only the feed can tell.
    package var needsPull: Bool { inboxCount + absentCount > 0 || mustConfirm }

    package init() {}
}

extension SyncJournal {
    /// Applies records of the feed and remembers the token behind them.
    /// - Parameters:
    ///   - latestStamp: stamps of the page later than this are lowered to it.
    ///   - holdsKnown: whether all of it is known (`isKnown`), so that only its tombstones have to be looked at.
    ///   - confirmed: the seen tags that its request named, where the page's token covers them.
    package func apply(
        _ page: ZoneChanges, epoch: Epoch?, latestStamp: Int64, holdsKnown: Bool = false, confirmed: [String] = []
    ) throws -> PageSummary {
        try store.connection.transaction {
            try store.drainChanges()
            return try store.write(.pull) {
                var applier = RecordApplier(journal: self, fullFetch: try currentFullFetch, latestStamp: latestStamp)
                // A full fetch notes each record that it meets.
                let skipsKnown = holdsKnown && applier.fullFetch == nil
                for result in page.records {
                    if skipsKnown, !result.isTombstone {
                        applier.summary.knownCount += 1
                        continue
                    }
                    guard let record = try result.decoded() else { continue }
                    try applier.apply(record)
                }
                try store.setSyncValue(.text(page.syncToken), for: .token)
                try confirmSeen(confirmed)
                if let epoch { try store.setSyncValue(.text(epoch.text), for: .epoch) }
                // The zone is there, whatever became of one before it.
                try store.setSyncValue(.null, for: .deletedZone)
                return applier.summary
            }
        }
    }

    /// Whether nothing of a record's fields is needed to apply it: its version is here, or it is a tombstone.
    func isKnown(_ result: RecordResult) throws -> Bool {
        switch result {
        case .record(let record): try record.isDeleted || isKnown(record)
        case .stored(let stored): try stored.head.isDeleted || isKnown(stored.head)
        case .thin, .failure: false
        }
    }

    private func isKnown(_ record: Record) throws -> Bool {
        guard let tag = record.changeTag else { return false }
        return try store.isKnown(RecordName(record.recordName), tag: tag)
    }

    /// Applies what a lookup said of records that were in conflict; each of them is then sent again, or needs no sending. Where the summary
    /// says so, a pull has to come before the next lookup.
    package func reconcile(_ response: RecordsResponse, latestStamp: Int64) throws -> PageSummary {
        try store.connection.transaction {
            try store.drainChanges()
            return try store.write(.pull) {
                var applier = RecordApplier(journal: self, fullFetch: nil, latestStamp: latestStamp)
                applier.summary.mustConfirm = try noteSeen(response.latestTag)
                for result in response.records {
                    let name = RecordName(result.recordName)
                    if let record = try result.decoded() {
                        // What cannot be applied yet stays to be looked up; the end of the next feed applies it.
                        let outcome = try applier.apply(record, evenIfKnown: true)
                        guard try outcome == .applied || store.pendingChange(of: name)?.departed != nil else { continue }
                    } else if result.error?.code == .notFound {
                        let absentCount = applier.summary.absentCount
                        try applier.applyAbsence(of: name)
                        guard applier.summary.absentCount == absentCount else { continue }
                    } else if let error = result.error {
                        // What the service will not show to us for good must not be asked for again and again.
                        if error.code.isPassing { applier.summary.refusedCount += 1 } else { try store.setAside(name, reason: error.description) }
                        continue
                    } else {
                        continue
                    }
                    try store.markReconciled(name)
                }
                return applier.summary
            }
        }
    }
}

extension RecordResult {
    fileprivate var isTombstone: Bool {
        switch self {
        case .record(let record): record.isDeleted
        case .stored(let stored): stored.head.isDeleted
        case .thin, .failure: false
        }
    }

    /// The record in decoded form; nil for a failure or a thin answer.
    func decoded() throws -> Record? {
        switch self {
        case .record(let record): record
        case .stored(let stored): try stored.decoded()
        case .thin, .failure: nil
        }
    }
}
