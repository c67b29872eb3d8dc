import SluiceCommandLine

/// Rows of what was measured, each with a figure that a goal is about.
struct ResultTable {
    struct Row: Encodable {
        let benchmark: String
        var sluice = "–"
        var byHand = "–"
        var figure = "–"
        var goal = "–"
    }

    private(set) var rows: [Row] = []

    mutating func append(_ benchmark: String, sluice: String = "–", byHand: String = "–", figure: String = "–", goal: String = "–") {
        rows.append(Row(benchmark: benchmark, sluice: sluice, byHand: byHand, figure: figure, goal: goal))
    }

    func print(to console: Console, asJSON: Bool) throws {
        guard !asJSON else {
            for row in rows { try console.printJSON(row) }
            return
        }
        var table = Table([
            .init("BENCHMARK"), .init("SLUICE", isRightAligned: true), .init("BY HAND", isRightAligned: true), .init("FIGURE", isRightAligned: true),
            .init("GOAL", isRightAligned: true),
        ])
        for row in rows { table.append([row.benchmark, row.sluice, row.byHand, row.figure, row.goal]) }
        for line in table.lines { console.printLine(line) }
    }
}
