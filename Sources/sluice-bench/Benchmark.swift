import Foundation

/// Two ways to the same result, timed in turn; or one, whose time or memory is the figure.
struct Benchmark {
    let name: String
    /// What design §13 asks for.
    let goal: Goal
    /// Run before each round, untimed.
    var prepare: () throws -> Void = {}
    let ours: () throws -> Void
    /// nil where the goal is no ratio.
    var byHand: (() throws -> Void)?

    enum Goal {
        case ratio(Double)
        /// Microseconds of one of `count` operations.
        case microseconds(Double, of: Int)
        /// The most that the process had in memory meanwhile.
        case mebibytes(Double)
        /// Of one run.
        case milliseconds(Double)
        /// The most that a program had in memory until its output was under way.
        case programMebibytes(Double, of: [String])
    }

    struct Measured: Encodable {
        let benchmark: String
        var oursMilliseconds: Double?
        var byHandMilliseconds: Double?
        /// The figure that the goal is about, as people read it.
        let figure: String
        let goal: String

        var cells: [String] {
            [
                benchmark, oursMilliseconds.map { String(format: "%.2f ms", $0) } ?? "–",
                byHandMilliseconds.map { String(format: "%.2f ms", $0) } ?? "–", figure, goal,
            ]
        }
    }

    /// - Parameter alone: leaves out the other side.
    func measure(rounds: Int, alone: Bool = false) throws -> Measured {
        if case .mebibytes(let wanted) = goal {
            try prepare()
            let peak = try PeakMemory.mebibytes(during: ours)
            return Measured(benchmark: name, figure: String(format: "%.1f MiB", peak), goal: "≤ \(wanted) MiB")
        }
        if case .programMebibytes(let wanted, let command) = goal {
            let peak = try SpawnedProgram(command, pipeByteCount: 4_096).peakMebibytes()
            return Measured(benchmark: name, figure: String(format: "%.1f MiB", peak), goal: "≤ \(wanted) MiB")
        }
        var (mine, theirs): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            try prepare()
            // By hand first in one round and second in the next: who comes second finds files as the other left them.
            if let byHand, !alone, round.isMultiple(of: 2) { theirs.append(try Self.milliseconds(byHand)) }
            mine.append(try Self.milliseconds(ours))
            if let byHand, !alone, !round.isMultiple(of: 2) { theirs.append(try Self.milliseconds(byHand)) }
        }
        let own = Self.median(mine)
        let other = theirs.isEmpty ? nil : Self.median(theirs)
        let (figure, wanted) =
            switch goal {
            case .ratio(let wanted): (other.map { String(format: "%.2f", own / $0) } ?? "–", "≤ \(wanted)")
            case .microseconds(let wanted, let count): (String(format: "%.1f µs", own * 1_000 / Double(count)), "≤ \(wanted) µs")
            case .milliseconds(let wanted): (String(format: "%.2f ms", own), "≤ \(wanted) ms")
            case .mebibytes(let wanted), .programMebibytes(let wanted, _): ("–", "≤ \(wanted) MiB")
            }
        return Measured(benchmark: name, oursMilliseconds: own, byHandMilliseconds: other, figure: figure, goal: wanted)
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
