public import Foundation
import SluiceStore

extension ModelContext {
    /// Transactions of the container's stores, oldest first.
    ///
    /// Conditions on the token bound what is read; everything else is judged one transaction at a time. With several stores, transactions
    /// come in the order of their time.
    /// - Throws: `SwiftDataError.historyTokenExpired` where history was deleted beyond the token that is asked from, or the store is a
    ///   copy from before it; `.invalidTransactionFetchRequest` where no store keeps history of that kind; the store's error.
    public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
        var found: [T] = []
        var isAnswered = false
        for store in container.bindings.stores {
            guard let part = try store.history(descriptor, in: container.bindings) else { continue }
            isAnswered = true
            found += part
        }
        guard isAnswered else { throw SwiftDataError.noHistory(of: T.self) }
        guard container.bindings.stores.count > 1 else { return found }
        // Within a store the order is right already, and sorting keeps what is equal in place.
        let order = descriptor.sortBy.isEmpty ? [SortDescriptor(\T.timestamp)] : descriptor.sortBy
        found.sort(using: order)
        return descriptor.limit.map { Array(found.prefix($0)) } ?? found
    }

    /// Deletes matching transactions from history; the rows stay as they are.
    ///
    /// What others still have to read stays: an outbox that has not sent it, a projection that has not seen it. So does the newest
    /// transaction of each store.
    /// - Returns: what was deleted and what was kept for whom.
    /// - Throws: as `fetchHistory`.
    @discardableResult
    public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> HistoryDeletion {
        var result: HistoryDeletion?
        for store in container.bindings.stores {
            guard let part = try store.deleteHistory(descriptor, in: container.bindings) else { continue }
            result = result.map { $0.adding(part) } ?? part
        }
        guard let result else { throw SwiftDataError.noHistory(of: T.self) }
        return result
    }
}

extension OpenStore {
    /// nil where the store keeps no history of that kind.
    func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, in schema: ContainerSchema) throws -> [T]? {
        if let custom { return try custom.history(descriptor) }
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
        return try StoreHistory.read(self, in: schema) { try HistoryRequest(descriptor).run(on: $0) } as? [T]
    }
}

/// One request for transactions of one store.
struct HistoryRequest {
    private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    private let filter: TransactionFilter
    /// Whether the wanted order is the log's, backwards; nil for an order of another kind.
    private let isNewestFirst: Bool?

    init(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) {
        self.descriptor = descriptor
        filter = TransactionFilter(descriptor.predicate)
        isNewestFirst = Self.isNewestFirst(descriptor.sortBy)
    }

    private static func isNewestFirst(_ order: [SortDescriptor<DefaultHistoryTransaction>]) -> Bool? {
        guard let first = order.first else { return false }
        switch first.keyPath {
        case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.token:
            return first.order == .reverse
        default: return nil
        }
    }

    func run(on history: StoreHistory) throws -> [DefaultHistoryTransaction] {
        let found = if let isNewestFirst { try inOrder(history, newestFirst: isNewestFirst) } else { try sorted(history) }
        return try found.map { match in
            var transaction = match.transaction
            // A predicate that looks at changes has had them read already.
            if transaction.changes.isEmpty { transaction.changes = try history.changes(in: match.logged) }
            return transaction
        }
    }

    private struct Match {
        let logged: LoggedTransaction
        var transaction: DefaultHistoryTransaction
    }

    private func inOrder(_ history: StoreHistory, newestFirst: Bool) throws -> [Match] {
        var found: [Match] = []
        try history.forEachMatch(filter, newestFirst: newestFirst) { logged, transaction in
            found.append(Match(logged: logged, transaction: transaction))
            return found.count < descriptor.limit ?? .max
        }
        return found
    }

    /// Of many matches only as many are held as are wanted, and some more.
    private func sorted(_ history: StoreHistory) throws -> [Match] {
        let order = descriptor.sortBy
        func isBefore(_ left: Match, _ right: Match) -> Bool {
            for descriptor in order {
                switch descriptor.compare(left.transaction, right.transaction) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return left.logged.last < right.logged.last
        }
        var found: [Match] = []
        try history.forEachMatch(filter, newestFirst: false) { logged, transaction in
            found.append(Match(logged: logged, transaction: transaction))
            if let limit = descriptor.limit, found.count >= limit &* 2 &+ 1_000 {
                found.sort(by: isBefore)
                found.removeSubrange(limit...)
            }
            return true
        }
        found.sort(by: isBefore)
        return descriptor.limit.map { Array(found.prefix($0)) } ?? found
    }
}
