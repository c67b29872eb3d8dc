// A person gives an unsent change up. What becomes of the record is the service's word, as far as it has one:
//
// - An edit: the service's version is looked up, and takes the place of what is here.
// - A record that the service never had: its row goes here too, with what cannot be without it.
// - A deletion: the record is fetched again, with everything else, since nobody asks a service for one record that is not here.
//
// The values that are given up stay readable in history.

package import SluiceSchema
import SluiceSQLite
import SluiceStore

/// What becomes of a record whose unsent change was given up.
package enum DropOutcome: String, Sendable {
    /// The service's version takes the place of what is here.
    case lookedUp
    /// The service never had it: it is gone.
    case removed
    /// The deletion is undone by fetching everything again.
    case fetchedAnew
    /// There was nothing here but the change.
    case forgotten
}

/// Why a change cannot be given up, or let go again.
package enum DropRefusal: Error, Sendable, CustomStringConvertible {
    case nothingWaits(RecordName)
    case notSetAside(RecordName)
    case inFlight(RecordName)

    package var description: String {
        switch self {
        case .nothingWaits(let name): "nothing of record \(name) waits to be sent"
        case .notSetAside(let name): "record \(name) was not set aside"
        case .inFlight(let name): "record \(name) is on its way to the service, which may have it already: wait for the answer, then look again"
        }
    }
}

extension SyncJournal {
    /// Gives up what is unsent of a record. The values are lost here but for history: a person has to say so.
    /// - Throws: `DropRefusal`.
    package func drop(_ name: RecordName) throws -> DropOutcome {
        try store.connection.transaction {
            try store.drainChanges()
            guard let pending = try store.pendingChange(of: name) else { throw DropRefusal.nothingWaits(name) }
            guard !pending.isInFlight else { throw DropRefusal.inFlight(name) }
            let isKnown = pending.service?.tag != nil
            if pending.departed != nil || pending.isDeleted {
                try store.forgetPending(name)
                try store.removeRecordState(of: name)
                guard pending.departed == nil, isKnown else { return .forgotten }
                try store.forgetDeletion(of: name)
                try store.setSyncValue(.integer(1), for: .refetch)
                return .fetchedAnew
            }
            if !isKnown, pending.isInserted {
                try store.forgetPending(name)
                try store.write(.pull) {
                    var applier = RecordApplier(journal: self, fullFetch: nil, latestStamp: 0)
                    try applier.applyDeletion(of: name)
                }
                // It was never there for others to hear of.
                try store.forgetDeletion(of: name)
                return .removed
            }
            try store.yieldPending(name)
            return .lookedUp
        }
    }
}
