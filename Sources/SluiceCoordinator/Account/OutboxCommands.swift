// What a person asks of unsent changes and of merges, and does with them, over the control socket.

package import SluiceSchema
import SluiceStore
import SluiceSync

extension AccountRuntime {
    private static let outboxMax = 1_000

    package func outbox(after number: Int64, limit: Int, setAside: Bool) throws -> OutboxResponse {
        let limit = min(limit, Self.outboxMax)
        let entries = try openSession().store.outboxEntries(after: number, limit: limit, setAside: setAside)
        return OutboxResponse(entries: entries.map(OutboxResponse.Entry.init), position: entries.count == limit ? entries.last?.number : nil)
    }

    package func outboxEntry(of name: RecordName) throws -> OutboxResponse.Entry {
        guard let entry = try openSession().store.outboxEntry(of: name) else { throw DropRefusal.nothingWaits(name) }
        return OutboxResponse.Entry(entry)
    }

    /// What merges decided.
    /// - Parameter name: only those of this record.
    package func conflicts(before number: Int64, of name: RecordName?, limit: Int) throws -> ConflictsResponse {
        let limit = min(limit, Self.outboxMax)
        let conflicts = try openSession().store.conflicts(before: number, of: name, limit: limit)
        return ConflictsResponse(
            conflicts: conflicts.map(ConflictsResponse.Conflict.init), position: conflicts.count == limit ? conflicts.last?.number : nil)
    }

    /// Lets a record that was set aside, or every one, be sent again.
    package func retry(_ name: RecordName?) throws -> RetryResponse {
        let store = try openSession().store
        let count = try writing { try store.retry(name) }
        if let name, count == 0 { throw DropRefusal.notSetAside(name) }
        handle(.changedLocally)
        return RetryResponse(count: count)
    }

    package func drop(_ name: RecordName) throws -> DropResponse {
        let journal = try openSession().journal
        let outcome = try writing { try journal.drop(name) }
        projectChanges()
        // Something waits to be looked up, or fetched, before anything is sent.
        handle(.thawed(reconciling: true))
        return DropResponse(name: name.text, outcome: outcome.rawValue)
    }
}
