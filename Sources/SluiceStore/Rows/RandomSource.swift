/// Where random bits come from: the system, or a seed in a simulation.
package struct RandomSource: RandomNumberGenerator, Sendable {
    private let bits: @Sendable () -> UInt64

    package init(_ bits: @escaping @Sendable () -> UInt64) { self.bits = bits }

    package func next() -> UInt64 { bits() }

    package static let system = RandomSource { UInt64.random(in: .min ... .max) }
}
