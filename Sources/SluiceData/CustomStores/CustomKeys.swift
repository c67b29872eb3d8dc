import Synchronization

/// The numbers by which contexts know the rows of a custom store, whose own keys may be anything.
///
/// An integer key from 1 on is its own number. Any other gets one when it is first seen and keeps it for as long as the store is open.
final class CustomKeys: Sendable {
    private struct State {
        var numbers: [PersistentIdentifier.Key: Int64] = [:]
        var keys: [PersistentIdentifier.Key] = []
        /// By table and number.
        var entities: [Int: [Int64: String]] = [:]
    }

    private let state = Mutex(State())

    /// Where numbers begin that are nobody's own: beyond every key that counts rows.
    private static let first: Int64 = 1 << 62

    func number(of key: PersistentIdentifier.Key) -> Int64 {
        if case .row(let row) = key, row > 0, row < Self.first { return row }
        return state.withLock { state in
            if let number = state.numbers[key] { return number }
            let number = Self.first + Int64(state.keys.count)
            state.numbers[key] = number
            state.keys.append(key)
            return number
        }
    }

    /// The class of a row of a hierarchy, as far as it was ever named.
    func entity(of number: Int64, table: Int) -> String? { state.withLock { $0.entities[table]?[number] } }
    func note(_ entity: String, of number: Int64, table: Int) { state.withLock { $0.entities[table, default: [:]][number] = entity } }

    func key(of number: Int64) -> PersistentIdentifier.Key {
        guard number >= Self.first else { return .row(number) }
        return state.withLock { state in
            let place = Int(number - Self.first)
            // Nobody else gives out numbers from there on.
            return place < state.keys.count ? state.keys[place] : .row(number)
        }
    }
}
