import Foundation

/// Two ways to the same result, timed in turn.
struct Benchmark {
    let name: String
    /// What design §13 asks of the ratio, or of the time of one operation.
    let goal: Goal
    /// Run before each round, untimed.
    var prepare: () throws -> Void = {}
    let ours: () throws -> Void
    /// nil where the goal is a time.
    let byHand: (() throws -> Void)?

    enum Goal {
        case ratio(Double)
        /// Microseconds of one of `count` operations.
        case microseconds(Double, of: Int)
    }

    struct Measured: Encodable {
        let benchmark: String
        let oursMilliseconds: Double
        let byHandMilliseconds: Double?
        let ratio: Double?
        let microsecondsEach: Double?
        let goal: String

        var cells: [String] {
            [
                benchmark, String(format: "%.1f ms", oursMilliseconds), byHandMilliseconds.map { String(format: "%.1f ms", $0) } ?? "–",
                ratio.map { String(format: "%.2f", $0) } ?? microsecondsEach.map { String(format: "%.1f µs", $0) } ?? "–", goal,
            ]
        }
    }

    func measure(rounds: Int) throws -> Measured {
        var (mine, theirs): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            try prepare()
            if let byHand { theirs.append(try Self.milliseconds(byHand)) }
            mine.append(try Self.milliseconds(ours))
        }
        let own = Self.median(mine)
        let other = theirs.isEmpty ? nil : Self.median(theirs)
        switch goal {
        case .ratio(let wanted):
            return Measured(
                benchmark: name, oursMilliseconds: own, byHandMilliseconds: other, ratio: other.map { own / $0 }, microsecondsEach: nil,
                goal: "≤ \(wanted)")
        case .microseconds(let wanted, let count):
            return Measured(
                benchmark: name, oursMilliseconds: own, byHandMilliseconds: other, ratio: nil, microsecondsEach: own * 1_000 / Double(count),
                goal: "≤ \(wanted) µs")
        }
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        try ContinuousClock().measure(body) / .milliseconds(1)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// A benchmark whose two sides disagree.
struct WrongResult: Error, CustomStringConvertible {
    let description: String

    static func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        guard condition else { throw WrongResult(description: text()) }
    }
}
