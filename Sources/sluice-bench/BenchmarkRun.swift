import Foundation
import SluiceCommandLine

/// Runs benchmarks in a folder of their own and prints what they measured.
struct BenchmarkRun {
    let rounds: Int
    var isAlone = false
    let asJSON: Bool

    /// - Throws: `WrongResult`, and whatever a benchmark throws; the folder is removed in any case.
    func run(_ console: Console, _ benchmarks: (URL) throws -> [Benchmark]) throws {
        let folder = try BenchmarkFolder()
        defer { withExtendedLifetime(folder) {} }
        var table = Table([
            .init("BENCHMARK"), .init("SLUICE", isRightAligned: true), .init("BY HAND", isRightAligned: true), .init("FIGURE", isRightAligned: true),
            .init("GOAL", isRightAligned: true),
        ])
        for benchmark in try benchmarks(folder.url) {
            let measured = try benchmark.measure(rounds: rounds, alone: isAlone)
            if asJSON { try console.printJSON(measured) } else { table.append(measured.cells) }
        }
        if !asJSON { for line in table.lines { console.printLine(line) } }
    }
}
