import SluiceSQLite
package import SluiceStore

/// Keys of the synced key-value store that changed elsewhere, or what happened to it.
package struct KeyValueChange: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        /// Another device set or removed values.
        case server
        /// The first download on this device.
        case initialSync
        /// Merged edits came to more than may be kept: nothing is lost, and no more is taken until some is removed.
        case quotaViolation
    }

    package let reason: Reason
    package let keys: [String]
}

/// Tells programs of values that came from elsewhere. Their own edits are no news to them. Used on the account's executor.
package struct KeyValueWatch {
    private var position: Int64
    private var isInitial: Bool
    private var wasOverQuota: Bool
    private var listeners: [Int: AsyncStream<KeyValueChange>.Continuation] = [:]
    private var count = 0

    package init(_ store: Store, hasToken: Bool) throws {
        position = try store.lastChange()
        isInitial = !hasToken
        wasOverQuota = try KeyValueTable(store: store).isOverQuota()
    }

    /// The number is for `remove`.
    package mutating func add(_ listener: AsyncStream<KeyValueChange>.Continuation) -> Int {
        count += 1
        listeners[count] = listener
        return count
    }

    package mutating func remove(_ number: Int) { listeners[number] = nil }

    package func finish() { for listener in listeners.values { listener.finish() } }

    /// Looks at what came since the last time.
    package mutating func look(at store: Store, hasToken: Bool) throws {
        let last = try store.lastChange()
        let keys = try store.connection.rows(
            """
            SELECT DISTINCT k.key FROM _sluice_change AS c JOIN KeyValue AS k ON k._pk = c.row
            WHERE c.seq > ? AND c.seq <= ? AND c.origin = ? ORDER BY k.key
            """, [.integer(position), .integer(last), .integer(ChangeOrigin.pull.rawValue)]
        ) { $0.text(0) }
        position = last
        if !keys.isEmpty { tell(KeyValueChange(reason: isInitial ? .initialSync : .server, keys: keys)) }
        if hasToken { isInitial = false }
        let isOverQuota = try KeyValueTable(store: store).isOverQuota()
        if isOverQuota, !wasOverQuota { tell(KeyValueChange(reason: .quotaViolation, keys: keys)) }
        wasOverQuota = isOverQuota
    }

    private func tell(_ change: KeyValueChange) { for listener in listeners.values { listener.yield(change) } }
}
