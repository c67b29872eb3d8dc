// Follows the logs of a container's stores on a queue of its own: however many commits arrive while it reads, it reads once more.

import Dispatch
import Foundation
import SluiceStore
import Synchronization

/// Reads the history of stores as it grows, and counts what is of interest.
final class HistoryFollower: @unchecked Sendable {
    // Sendable: everything that changes is in `state`; a weak reference may be read on any thread.

    private struct State {
        weak var target: HistoryObserver?
        /// How far each store's history has been read.
        var positions: [String: Int64] = [:]
        /// Transactions that the observer's own context wrote and that have not been read yet.
        var own: [String: Set<Int64>] = [:]
        var isReading = false
        var isStale = false

        mutating func settle(_ store: String, at position: Int64) {
            positions[store] = position
            own[store] = own[store]?.filter { $0 > position }
        }
    }

    private let schema: ContainerSchema
    private let models: [ObjectIdentifier]
    private let authors: Set<String>
    private let editor: UUID?
    private let queue = DispatchQueue(label: "SluiceData.HistoryObserver")
    private let state = Mutex(State())
    /// Weak, because the actor usually has the observer.
    private weak var isolation: (any Actor)?
    private let isIsolated: Bool

    init(_ schema: ContainerSchema, models: [any PersistentModel.Type], authors: Set<String>, editor: UUID?, isolation: (any Actor)?) {
        self.schema = schema
        self.models = models.map { ObjectIdentifier($0) }
        self.authors = authors
        self.editor = editor
        self.isolation = isolation
        isIsolated = isolation != nil
    }

    /// Begins, and returns how many transactions of interest there are already.
    /// - Throws: `SwiftDataError.historyTokenExpired`.
    func start(from tokens: [String: any HistoryToken]?, telling target: HistoryObserver) throws -> Int {
        let count = try queue.sync {
            try findPositions(tokens)
            return try takeCount()
        }
        state.withLock { $0.target = target }
        // Something may have been committed before anybody could be told.
        read()
        return count
    }

    private func findPositions(_ tokens: [String: any HistoryToken]?) throws {
        for store in schema.stores {
            let token = tokens?[store.identifier] as? DefaultHistoryToken
            let position = try StoreHistory.read(store, in: schema) { history in
                guard let position = token?.position(in: store.identifier) else { return try history.log.extent()?.upperBound ?? 0 }
                try history.check(position)
                return position
            }
            state.withLock { $0.positions[store.identifier] = position }
        }
    }

    /// Hears of commits, on any thread.
    func listen(to store: OpenStore) -> Listening {
        let identifier = store.identifier
        return store.listen(
            noteWriting: { [weak self] in self?.noteWriting($0, in: identifier) }, { [weak self] _ in self?.read() })
    }

    private func noteWriting(_ commit: StoreCommit, in store: String) {
        guard let editor, commit.editor == editor, let position = commit.position else { return }
        state.withLock { _ = $0.own[store, default: []].insert(position) }
    }

    private func read() {
        let isFirst = state.withLock { state -> Bool in
            state.isStale = true
            defer { state.isReading = true }
            return !state.isReading
        }
        if isFirst { queue.async { [weak self] in self?.readAll() } }
    }

    private func readAll() {
        while state.withLock({ state in
            defer { state.isStale = false }
            state.isReading = state.isStale
            return state.isStale
        }) {
            // A store that cannot be read just now is read at the next commit: positions stay where they are.
            guard let count = try? takeCount(), count > 0 else { continue }
            tell(count)
        }
    }

    private func tell(_ count: Int) {
        guard isIsolated else { return add(count) }
        guard let isolation else { return }
        Task { await add(count, on: isolation) }
    }

    private func add(_ count: Int, on isolation: isolated any Actor) { add(count) }
    private func add(_ count: Int) { state.withLock { $0.target }?.add(count) }

    // MARK: Reading

    /// Reads on and returns how many transactions of interest there were. Called on the queue only, so that nothing is counted twice.
    private func takeCount() throws -> Int {
        var count = 0
        for store in schema.stores {
            let before = state.withLock { $0.positions[store.identifier] }
            guard let before else { continue }
            let settled = try store.settledPosition()
            try StoreHistory.read(store, in: schema) { history in
                var last = before
                // Where history was deleted before it was read, nobody knows how much it was. Whoever is told reads on from a token, and
                // that says so.
                if let oldest = try history.log.extent()?.lowerBound, last < oldest - 1 {
                    count += 1
                    last = oldest - 1
                }
                let cursor = try history.log.transactions(after: last, through: settled)
                while let transaction = try cursor.next() {
                    last = transaction.last
                    if try isOfInterest(transaction, history, store.identifier) { count += 1 }
                }
                state.withLock { $0.settle(store.identifier, at: last) }
            }
        }
        return count
    }

    private func isOfInterest(_ transaction: LoggedTransaction, _ history: StoreHistory, _ store: String) throws -> Bool {
        if state.withLock({ $0.own[store]?.contains(transaction.last) ?? false }) { return false }
        if !authors.isEmpty, !authors.contains(transaction.author ?? "") { return false }
        return try models.isEmpty || history.touches(models, in: transaction)
    }
}
