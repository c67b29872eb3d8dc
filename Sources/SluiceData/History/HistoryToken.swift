/// A place in the history of a store. Keep it to ask later for what came after.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
    associatedtype TokenType: Codable & Hashable & Sendable
    /// What the token holds, in the store's own form.
    var tokenValue: TokenType? { get }
    /// The store whose history this is a place in.
    var storeIdentifier: String { get }
}

extension HistoryToken {
    /// Empty for tokens that do not say.
    public var storeIdentifier: String { "" }
}

/// A place in the history of a store of this module: the store's identifier and the position of a transaction.
///
/// Tokens of one store are ordered as its transactions are. A token says nothing about other stores: a request for what came after it gives
/// those from their beginning, so a program with several stores keeps one token for each and asks with `storeIdentifier == …`.
public struct DefaultHistoryToken: HistoryToken {
    /// By store identifier.
    public let tokenValue: [String: Int64]?

    init(store: String, position: Int64) { tokenValue = [store: position] }

    public var id: Int { Int(tokenValue?.values.max() ?? 0) }
    public var storeIdentifier: String { tokenValue?.keys.min() ?? "" }

    /// The position in a store's history; nil where the token says nothing of it.
    func position(in store: String) -> Int64? { tokenValue?[store] }

    /// By position where the tokens are of one store; else by the stores' identifiers, which means nothing but is an order.
    public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
        let (left, right) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
        for store in Set(left.keys).intersection(right.keys).sorted() where left[store] != right[store] {
            return left[store] ?? 0 < right[store] ?? 0
        }
        return left.keys.sorted().lexicographicallyPrecedes(right.keys.sorted())
    }
}
