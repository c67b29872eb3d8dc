public import Foundation

/// What one save did to one store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
    associatedtype TokenType: HistoryToken
    /// When it was committed.
    var timestamp: Date { get }
    var changes: [HistoryChange] { get set }
    /// The place in the store's history right after this transaction.
    var token: TokenType { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var storeIdentifier: String { get }
    /// `ModelContext.author` at the save.
    var author: String? { get set }
}

/// A transaction of a store of this module.
///
/// Edits that did not come from a context have a plain name as author: `pull` for what sync brought, `import` for an imported file,
/// `migration` for a migration's stages, `another program` for edits made with other tools, whose `timestamp` is the latest moment at which
/// they can have been made.
public struct DefaultHistoryTransaction: HistoryTransaction {
    /// The position of the transaction's last entry. It grows with every transaction of the store.
    public let transactionIdentifier: Int64
    public let timestamp: Date
    public let token: DefaultHistoryToken
    public let storeIdentifier: String
    public var author: String?
    /// In the order in which rows were first touched, one change for each row.
    public var changes: [HistoryChange]
    /// Empty: the log does not record which program wrote.
    public let bundleIdentifier: String
    /// Empty: the log does not record which process wrote.
    public let processIdentifier: String

    public var id: Int64 { transactionIdentifier }

    /// A transaction is one place in one store's history.
    public static func == (left: Self, right: Self) -> Bool {
        left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionIdentifier)
        hasher.combine(storeIdentifier)
    }
}
