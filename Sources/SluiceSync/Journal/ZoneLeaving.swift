// What becomes of the rows of a zone that somebody deleted.
//
// - Rows that the service had go, as it has them no more.
// - What was not sent stays, together with what it refers to: after a deletion it waits to be sent as new records, after a purge it is set aside.
// - Deletions are told to nobody: there is nobody left who has the records.
//
// Where the zone was made again meanwhile, this is the end of a full fetch of the new one. Else nothing is sent before a person has said what is to
// become of it; until then the store knows why.

package import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

extension SyncJournal {
    /// Takes leave of a zone that is not there any more.
    package func leaveZone(_ reason: ZoneDeletionReason, latestStamp: Int64) throws -> PageSummary {
        try store.connection.transaction {
            try beginFullFetch(reason == .purged ? .zonePurged : .zoneDeleted)
            let summary = try finishFeed(latestStamp: latestStamp)
            try store.setSyncValue(.text(reason.rawValue), for: .deletedZone)
            return summary
        }
    }

    /// Gives up what was not sent of a zone that is gone. It stays readable in history.
    package func forgetZone(latestStamp: Int64) throws -> PageSummary {
        try store.connection.transaction {
            try store.drainChanges()
            return try store.write(.pull) {
                var applier = RecordApplier(journal: self, fullFetch: nil, latestStamp: latestStamp)
                for table in store.tablesToSend.reversed() {
                    try store.forEachPendingChange(in: table) { pending in
                        try store.forgetPending(pending.name)
                        try applier.applyDeletion(of: pending.name)
                    }
                }
                try store.drainChanges()
                try store.emptyOutbox()
                try store.forgetTombstones()
                try store.setSyncValue(.null, for: .deletedZone)
                return applier.summary
            }
        }
    }

    /// Nothing on its way concerns a zone that is no more, and none of its tombstones does.
    func loosen() throws {
        for number in try store.frozenOperationNumbers() { try store.thaw(number, reconciling: false) }
        try store.forgetTombstones()
    }

    /// The end of a full fetch after the zone that the rows belonged to was deleted.
    func deleteZoneRows(_ reason: ZoneDeletionReason, fetch: Int64, _ applier: inout RecordApplier) throws {
        try store.drainChanges()
        try store.forgetDeletions(notSeenBy: fetch)
        try store.keepReferences(notSeenBy: fetch)
        // Children first: a parent that went before them would take them along in a person's name.
        for table in store.tablesToSend.reversed() {
            try store.forEachUnwantedRecord(in: table, notSeenBy: fetch) { name in
                try applier.applyDeletion(of: name)
                try store.removeRecordState(of: name)
            }
        }
        try store.drainChanges()
        try store.forgetDeletions(notSeenBy: fetch)
        try store.forgetTombstones()
        try store.restartPending(notSeenBy: fetch)
        guard reason == .purged else { return }
        try store.setAsidePending(notSeenBy: fetch, reason: "the user had the zone purged, which it was made for")
        try store.forgetConflicts()
    }
}
