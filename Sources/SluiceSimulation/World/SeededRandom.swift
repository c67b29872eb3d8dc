package import Foundation
import Synchronization

/// SplitMix64: the same seed gives the same numbers on every machine. A class, so that a store, a journal and a run draw from one sequence.
package final class SeededRandom: RandomNumberGenerator, Sendable {
    private let state: Atomic<UInt64>

    package init(_ seed: UInt64) { state = Atomic(seed) }

    package func next() -> UInt64 {
        var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// A whole number from `first` up to and with `last`.
    package func between(_ first: Int64, _ last: Int64) -> Int64 { first + Int64(next() % UInt64(last - first + 1)) }

    package func chance(_ percent: Int) -> Bool { below(100) < percent }

    package func pick<Element>(_ elements: [Element]) -> Element? { elements.isEmpty ? nil : elements[below(elements.count)] }

    package func uuid() -> UUID {
        let bits = (next(), next())
        return withUnsafeBytes(of: bits) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
