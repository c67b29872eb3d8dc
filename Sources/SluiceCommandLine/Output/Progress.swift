/// How far a long piece of work is, on standard error: a line that is redrawn on a terminal, a line per tenth elsewhere.
///
/// It is updated as often as the work likes; it writes only when the text changes (in steps of 1,000 where the total is unknown).
package struct Progress {
    private let title: String
    private let total: Int?
    private let sink: TextSink
    private var lastStep = -1

    package init(_ title: String, total: Int?, console: Console) {
        self.title = title
        self.total = total
        sink = console.errors
    }

    package mutating func update(_ done: Int) {
        let step: Int
        if let total {
            let percent = total <= 0 ? 100 : Int(Double(min(max(done, 0), total)) / Double(total) * 100)
            step = sink.isTerminal ? percent : percent / 10
        } else {
            step = done / (sink.isTerminal ? 1000 : 100_000)
        }
        guard step != lastStep else { return }
        lastStep = step
        // A carriage return goes back to the line's beginning; the sequence after it clears what an earlier, longer text left.
        sink.write(sink.isTerminal ? "\r\u{1B}[K\(text(done))" : "\(text(done))\n")
    }

    /// The last state stays on the screen; what follows begins a new line.
    package mutating func finish(_ done: Int) {
        sink.write(sink.isTerminal ? "\r\u{1B}[K\(text(done))\n" : "\(text(done)), finished\n")
    }

    private func text(_ done: Int) -> String {
        total.map { "\(title): \(done) of \($0)" } ?? "\(title): \(done)"
    }
}
