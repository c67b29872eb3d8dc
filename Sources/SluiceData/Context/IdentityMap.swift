// One instance per row and context. The map does not keep models alive: a state takes itself out when its model goes.
//
// Open addressing over integer keys, because a fetch of 100,000 rows asks it 100,000 times: Swift's Dictionary is several times slower here.
// A removed place is marked; the table is rebuilt when marks and entries together fill three quarters of it.

/// The registered models of one table, by key.
struct IdentityMap {
    private struct Entry {
        var key: Int64
        var state: Unmanaged<_ModelState>?
    }

    /// Key 0 is nobody's: an empty place. A place without a state and with another key is one that was removed.
    private var entries: [Entry] = []
    private var used = 0
    private(set) var count = 0

    subscript(key: Int64) -> _ModelState? {
        guard !entries.isEmpty else { return nil }
        var place = slot(of: key)
        while entries[place].key != 0 {
            // The state takes itself out in its deinit, so what is in the map is alive.
            if entries[place].key == key, let state = entries[place].state { return state.takeUnretainedValue() }
            place = (place + 1) & (entries.count - 1)
        }
        return nil
    }

    mutating func insert(_ state: _ModelState, key: Int64) {
        if (used + 1) * 4 > entries.count * 3 { rebuild(capacity: max(64, (count + 1) * 4)) }
        place(.passUnretained(state), key: key)
    }

    private mutating func place(_ state: Unmanaged<_ModelState>, key: Int64) {
        var place = slot(of: key)
        while entries[place].key != 0, entries[place].state != nil { place = (place + 1) & (entries.count - 1) }
        if entries[place].key == 0 { used += 1 }
        entries[place] = Entry(key: key, state: state)
        count += 1
    }

    /// Takes a state out, if it is the one that is registered.
    mutating func remove(_ state: _ModelState, key: Int64) {
        guard !entries.isEmpty else { return }
        var place = slot(of: key)
        while entries[place].key != 0 {
            if entries[place].key == key, entries[place].state?.toOpaque() == Unmanaged.passUnretained(state).toOpaque() {
                entries[place].state = nil
                count -= 1
                return
            }
            place = (place + 1) & (entries.count - 1)
        }
    }

    mutating func reserve(_ additional: Int) {
        let wanted = (used + additional) * 4 / 3 + 1
        if wanted > entries.count { rebuild(capacity: wanted) }
    }

    var states: [_ModelState] { entries.compactMap { $0.state?.takeUnretainedValue() } }

    /// Keys come in runs, so 64 neighbours stay neighbours, in lines of memory that are at hand; runs are scattered.
    private func slot(of key: Int64) -> Int {
        let run = UInt64(bitPattern: key >> 6) &* 0x9E37_79B9_7F4A_7C15
        return (Int(truncatingIfNeeded: run >> 32) << 6 | Int(key & 63)) & (entries.count - 1)
    }

    private mutating func rebuild(capacity: Int) {
        var size = 64
        while size < capacity { size *= 2 }
        let old = entries
        entries = Array(repeating: Entry(key: 0, state: nil), count: size)
        used = 0
        count = 0
        for entry in old {
            if let state = entry.state { place(state, key: entry.key) }
        }
    }
}
