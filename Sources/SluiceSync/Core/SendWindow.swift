// Frozen operations on their way from ready to settled. Several are in flight together, but none together with one that it has to follow.

import SluiceStore

struct SendWindow: Sendable {
    /// Operations in flight together.
    static let size = 4

    /// Frozen and not in flight, oldest first.
    private(set) var ready: [QueuedOperation] = []
    private(set) var inFlight: [QueuedOperation] = []
    /// To be given up, which is not done yet.
    private var givingUp: [QueuedOperation] = []

    init(ready: [QueuedOperation] = []) { self.ready = ready }

    /// Whether one of those that are ready may go now.
    var hasSendable: Bool { ready.contains(where: mayBeSent) }

    private func mayBeSent(_ operation: QueuedOperation) -> Bool {
        guard let last = operation.after else { return true }
        return ![inFlight, givingUp, ready].contains { $0.contains { $0.number <= last } }
    }

    mutating func add(_ operations: [QueuedOperation]) { ready += operations }

    /// The next one to send, which is in flight from now on; nil where none may go.
    mutating func next() -> QueuedOperation? {
        guard inFlight.count < Self.size, let place = ready.firstIndex(where: mayBeSent) else { return nil }
        let operation = ready.remove(at: place)
        inFlight.append(operation)
        return operation
    }

    /// Takes one out of flight.
    @discardableResult
    mutating func land(_ number: Int64) -> QueuedOperation {
        defer { inFlight.removeAll { $0.number == number } }
        return inFlight.first { $0.number == number } ?? QueuedOperation(number)
    }

    /// To be sent again, in its old place.
    mutating func putBack(_ operation: QueuedOperation) {
        ready.insert(operation, at: ready.firstIndex { $0.number > operation.number } ?? ready.endIndex)
    }

    /// Where the store cannot be written, the operation is one to be sent again, and to fail alike: it counts until the store has let it go.
    mutating func giveUp(_ operation: QueuedOperation) { givingUp.append(operation) }
    mutating func gaveUp(_ number: Int64) { givingUp.removeAll { $0.number == number } }

    /// Nobody is waited for any more.
    mutating func recallAll() {
        ready = (givingUp + inFlight + ready).sorted { $0.number < $1.number }
        (inFlight, givingUp) = ([], [])
    }

    /// The store has let them go.
    mutating func dropReady() { ready = [] }
}
