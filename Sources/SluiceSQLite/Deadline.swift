import CSQLite

extension Connection {
    /// Makes every statement of this connection stop with `.interrupted` once `deadline` has passed; nil lifts the bound.
    ///
    /// A reader bounds its transactions with it: an open one keeps the writer from emptying its log.
    package func setDeadline(_ deadline: ContinuousClock.Instant?) {
        guard let deadline else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            self.deadline = nil
            return
        }
        let box = Deadline(instant: deadline)
        self.deadline = box
        // SQLite calls this on the thread that runs the statement, so while the connection, and with it the box, is alive.
        sqlite3_progress_handler(
            handle, 1_000, { context in context.map { Unmanaged<Deadline>.fromOpaque($0).takeUnretainedValue().hasPassed } == true ? 1 : 0 },
            Unmanaged.passUnretained(box).toOpaque())
    }
}

/// When the statements of a connection have to end. Owned by the connection.
final class Deadline {
    private let instant: ContinuousClock.Instant

    init(instant: ContinuousClock.Instant) { self.instant = instant }

    var hasPassed: Bool { ContinuousClock.now >= instant }
}
