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
    /// A record that others have refers to it and has to.
    case neededBy(RecordName, RecordName)
    case onlyHere(RecordName)
    case inFlight(RecordName)

    package var description: String {
        switch self {
        case .nothingWaits(let name): "nothing of record \(name) waits to be sent"
        case .neededBy(let name, let other):
            "record \(other), which the service has, cannot be without record \(name): drop what is unsent of that one first"
        case .onlyHere(let name):
            "the service lost record \(name) and this device has it still: mend why it is refused, or delete the record with `sluice delete`"
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
            if let departed = pending.departed { return try forget(pending, isWanted: mapping.entity(ofType: departed.type) != nil) }
            let isKnown = pending.service?.tag != nil
            if pending.isDeleted { return try forget(pending, isWanted: isKnown) }
            guard !isKnown, pending.isInserted else {
                try store.yieldPending(name)
                return .lookedUp
            }
            // What the service has of it under the same name waits for a record that it refers to.
            let comes = try store.inboxHolds(name)
            // A service that lost its memory had it once, and nobody else may.
            guard comes || pending.service == nil || !pending.isImported else { throw DropRefusal.onlyHere(name) }
            try store.write(.pull) { try takeBack(name, neededBy: []) }
            if comes { try store.setSyncValue(.integer(1), for: .refetch) }
            return comes ? .fetchedAnew : .removed
        }
    }

    private func forget(_ pending: PendingChange, isWanted: Bool) throws -> DropOutcome {
        try store.forgetPending(pending.name)
        try store.removeRecordState(of: pending.name)
        guard isWanted else { return .forgotten }
        try store.forgetDeletion(of: pending.name)
        try store.setSyncValue(.integer(1), for: .refetch)
        return .fetchedAnew
    }

    /// Takes away a row that nobody else ever heard of, and those that cannot be without it, as if they had never been made. Nothing is sent.
    private func takeBack(_ name: RecordName, neededBy path: Set<RecordName>) throws {
        guard let row = try store.row(named: name), !path.contains(name) else { return }
        for referrer in try store.referrers(to: row) where referrer.row != row {
            guard let other = try store.name(of: referrer.row) else { continue }
            let pending = try store.pendingChange(of: other)
            let isKnown = try pending?.isInFlight == true || store.recordState(of: other)?.tag != nil
            if referrer.isRequired {
                // It would go too, and others have it.
                guard !isKnown else { throw DropRefusal.neededBy(name, other) }
                try takeBack(other, neededBy: path.union([name]))
            } else {
                try store.updateRow(referrer.row, of: referrer.entity, cells: [Cell(column: referrer.column, value: .null)])
                if pending != nil, isKnown { try store.yieldField(referrer.column, of: other) }
            }
        }
        try store.deleteRow(row)
        try store.forgetPending(name)
        try store.removeRecordState(of: name)
    }
}
