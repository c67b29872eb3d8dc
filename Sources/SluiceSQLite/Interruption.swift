import CSQLite

extension Connection {
    /// Makes every statement of this connection stop with `.interrupted` once `deadline` has passed; nil lifts the bound.
    ///
    /// A reader bounds its transactions with it: an open one keeps the writer from emptying its log.
    package func setDeadline(_ deadline: ContinuousClock.Instant?) {
        setInterruption(deadline.map { deadline in { ContinuousClock.now >= deadline } })
    }

    /// Asks `isDue` now and then while a statement of this connection runs, on the thread that runs it; where it says yes the statement stops with
    /// `.interrupted`. nil asks no more. A connection has one such question, a deadline included.
    /// - Parameter instructions: of SQLite's virtual machine between two questions; a small statement takes a few dozen.
    package func setInterruption(every instructions: Int32 = 1_000, _ isDue: (() -> Bool)?) {
        guard let isDue else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            interruption = nil
            return
        }
        let box = Interruption(isDue)
        interruption = box
        // SQLite calls this on the thread that runs the statement, so while the connection, and with it the box, is alive.
        sqlite3_progress_handler(
            handle, instructions, { context in context.map { Unmanaged<Interruption>.fromOpaque($0).takeUnretainedValue().isDue() } == true ? 1 : 0 },
            Unmanaged.passUnretained(box).toOpaque())
    }
}

/// When the statements of a connection have to end. Owned by the connection.
final class Interruption {
    let isDue: () -> Bool

    init(_ isDue: @escaping () -> Bool) { self.isDue = isDue }
}
