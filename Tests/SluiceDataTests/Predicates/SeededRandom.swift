/// Random numbers that a seed determines: a run that failed is run again by its seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    /// Seeds that are neighbours give sequences that have nothing in common.
    init(seed: UInt64) { state = Self.mixed(seed &+ 0x1234_5678_9ABC_DEF1) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }
    mutating func maybe<Element>(_ elements: [Element]) -> Element? { chance(30) ? nil : pick(elements) }
}
