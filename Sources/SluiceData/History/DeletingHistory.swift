import Foundation
import SluiceStore

/// What `ModelContext.deleteHistory` did.
public struct HistoryDeletion: Sendable, Hashable {
    /// How many transactions went.
    public let deletedCount: Int
    /// How many matched and stayed because somebody still has to read them.
    public let keptCount: Int
    /// Who: `outbox` for changes that sync has not sent, `newest transaction`, or the name of a registered reader of the log, such as a
    /// projection.
    public let keptFor: [String]

    func adding(_ other: HistoryDeletion) -> HistoryDeletion {
        HistoryDeletion(
            deletedCount: deletedCount + other.deletedCount, keptCount: keptCount + other.keptCount,
            keptFor: Set(keptFor + other.keptFor).sorted())
    }
}

extension OpenStore {
    /// Transactions that are deleted in one transaction of the store.
    private static let deletedEntryCountMax: Int64 = 50_000

    /// nil where the store keeps no history of that kind.
    func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, in schema: ContainerSchema) throws -> HistoryDeletion? {
        if let custom {
            // How much went, such a store does not say.
            return try custom.deleteHistory(descriptor) ? HistoryDeletion(deletedCount: 0, keptCount: 0, keptFor: []) : nil
        }
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else { return nil }
        let filter = TransactionFilter(descriptor.predicate)
        guard let matches = try matches(filter, descriptor, in: schema) else { return nil }
        return try write { store in
            let holders = try store.logHolders()
            let bound = holders.map(\.position).min() ?? 0
            let free = matches.filter { $0.last <= bound }
            let kept = matches.filter { $0.last > bound }
            for part in Self.parts(of: free) { try store.deleteTransactions(part) }
            if !free.isEmpty { try store.collectExternalValues() }
            let keptFor = holders.filter { holder in kept.contains { $0.last > holder.position } }.map(\.name)
            return HistoryDeletion(deletedCount: free.count, keptCount: kept.count, keptFor: keptFor.sorted())
        }
    }

    private func matches(
        _ filter: TransactionFilter, _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, in schema: ContainerSchema
    ) throws -> [LoggedTransaction]? {
        try StoreHistory.read(self, in: schema) { history in
            var matches: [LoggedTransaction] = []
            try history.forEachMatch(filter, newestFirst: false) { logged, _ in
                matches.append(logged)
                return matches.count < descriptor.limit ?? .max
            }
            return matches
        }
    }

    /// A long history goes in several transactions, so that no other writer waits long.
    private static func parts(of transactions: [LoggedTransaction]) -> [[LoggedTransaction]] {
        var parts: [[LoggedTransaction]] = []
        var count: Int64 = .max
        for transaction in transactions {
            let entries = transaction.last - transaction.first + 1
            if count >= deletedEntryCountMax {
                parts.append([])
                count = 0
            }
            parts[parts.count - 1].append(transaction)
            count += entries
        }
        return parts
    }
}
