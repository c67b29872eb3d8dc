import Foundation

/// Decides which transactions a request means.
struct TransactionFilter {
    /// What is known without looking at changes; nil where the predicate is of another shape.
    private let condition: TransactionCondition?
    private let predicate: Predicate<DefaultHistoryTransaction>?

    init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
        self.predicate = predicate
        condition = predicate.flatMap(TransactionCondition.init)
    }

    /// - Parameter complete: fills in the changes of a transaction, for a predicate that has to see them.
    func matches(
        _ transaction: inout DefaultHistoryTransaction, complete: (inout DefaultHistoryTransaction) throws -> Void
    ) throws -> Bool {
        guard let predicate else { return true }
        if let condition { return condition.matches(transaction) }
        try complete(&transaction)
        return try predicate.evaluate(transaction)
    }

    func positions(in store: String) -> TransactionCondition.Positions { condition?.positions(in: store) ?? .all }
    func startingPosition(in store: String) -> Int64? { condition?.startingPosition(in: store) }
}
