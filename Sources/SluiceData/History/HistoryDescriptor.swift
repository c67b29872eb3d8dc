public import Foundation

/// Which transactions to fetch or delete.
///
///     var request = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last && $0.author != "widget" })
///     request.fetchLimit = 100
public struct HistoryDescriptor<T: HistoryTransaction>: @unchecked Sendable {
    // Sendable: predicates and sort descriptors are immutable values; key path literals are only not marked so.

    /// nil for all transactions.
    public var predicate: Predicate<T>?
    /// The order of the store where it is empty: oldest first.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of transactions; 0 for all.
    public var fetchLimit: UInt64 = 0

    /// A request for transactions that match; for all without a predicate, oldest first without an order.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }

    /// The limit in force; nil for none.
    var limit: Int? { fetchLimit > 0 ? Int(clamping: fetchLimit) : nil }
}

/// A store that keeps history.
public protocol HistoryProviding {
    associatedtype HistoryType: HistoryTransaction
    static var historyType: HistoryType.Type { get }
    /// - Throws: `SwiftDataError.historyTokenExpired` where history was deleted beyond the token that the descriptor asks from.
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
    public static var historyType: HistoryType.Type { HistoryType.self }
}
