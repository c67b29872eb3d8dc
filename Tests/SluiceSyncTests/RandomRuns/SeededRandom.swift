import Foundation

/// SplitMix64: the same seed gives the same numbers on every machine. A class, so that a store, a journal and a run draw from one sequence.
final class SeededRandom: RandomNumberGenerator, @unchecked Sendable {
    // Tests use one thread.
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    func chance(_ percent: Int) -> Bool { below(100) < percent }

    func pick<Element>(_ elements: [Element]) -> Element? { elements.isEmpty ? nil : elements[below(elements.count)] }

    func uuid() -> UUID {
        let bits = (next(), next())
        return withUnsafeBytes(of: bits) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
