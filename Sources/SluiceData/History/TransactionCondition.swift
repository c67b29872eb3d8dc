// A predicate over transactions, as far as its shape is known: comparisons of a transaction's own properties with constants, joined by
// and, or and not. Such a one is judged before any change is read, and its bounds on the token go into the statement. Anything else is
// evaluated by Foundation, one whole transaction at a time.

import Foundation

/// A condition on a transaction without its changes.
indirect enum TransactionCondition {
    enum Relation: Sendable {
        case equal, unequal, less, lessOrEqual, greater, greaterOrEqual

        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .equal: left == right
            case .unequal: left != right
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            case .greaterOrEqual: left >= right
            }
        }

        /// The same with the sides exchanged.
        var mirrored: Relation {
            switch self {
            case .equal, .unequal: self
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            }
        }
    }

    case constant(Bool)
    case all([TransactionCondition])
    case any([TransactionCondition])
    case not(TransactionCondition)
    case token(Relation, DefaultHistoryToken)
    case identifier(Relation, Int64)
    case timestamp(Relation, Date)
    case author(Relation, String?)
    case store(Relation, String)

    func matches(_ transaction: DefaultHistoryTransaction) -> Bool {
        switch self {
        case .constant(let value): value
        case .all(let parts): parts.allSatisfy { $0.matches(transaction) }
        case .any(let parts): parts.contains { $0.matches(transaction) }
        case .not(let part): !part.matches(transaction)
        // A token of other stores says nothing of this one: everything in it comes after.
        case .token(let relation, let token):
            relation.holds(transaction.transactionIdentifier, token.position(in: transaction.storeIdentifier) ?? 0)
        case .identifier(let relation, let value): relation.holds(transaction.transactionIdentifier, value)
        case .timestamp(let relation, let date): relation.holds(transaction.timestamp, date)
        case .author(.unequal, let author): transaction.author != author
        case .author(_, let author): transaction.author == author
        case .store(let relation, let store): relation.holds(transaction.storeIdentifier, store)
        }
    }

    // MARK: Bounds

    /// Positions that every match lies in.
    func positions(in store: String) -> Positions {
        switch self {
        case .constant(false): .none
        case .all(let parts): parts.reduce(.all) { $0.intersection($1.positions(in: store)) }
        case .token(let relation, let token): Positions(relation, token.position(in: store) ?? 0)
        case .identifier(let relation, let value): Positions(relation, value)
        case .store(.equal, let other) where other != store: .none
        default: .all
        }
    }

    /// The token that matches must come after, where every match must; nil for a request that starts nowhere in particular.
    func startingPosition(in store: String) -> Int64? {
        switch self {
        case .all(let parts): parts.compactMap { $0.startingPosition(in: store) }.max()
        case .token(.greater, let token): token.position(in: store)
        case .token(.greaterOrEqual, let token), .token(.equal, let token): token.position(in: store).map { $0 - 1 }
        default: nil
        }
    }

    /// A part of a log: after `lower`, up to `upper`.
    struct Positions: Equatable {
        var lower: Int64
        var upper: Int64

        static let all = Positions(lower: 0, upper: .max)
        static let none = Positions(lower: .max, upper: 0)

        init(lower: Int64, upper: Int64) {
            self.lower = lower
            self.upper = upper
        }

        init(_ relation: Relation, _ value: Int64) {
            self = .all
            switch relation {
            case .equal: (lower, upper) = (max(0, value &- 1), value)
            case .less: upper = value &- 1
            case .lessOrEqual: upper = value
            case .greater: lower = max(0, value)
            case .greaterOrEqual: lower = max(0, value &- 1)
            case .unequal: break
            }
        }

        var isEmpty: Bool { lower >= upper }

        func intersection(_ other: Positions) -> Positions { Positions(lower: max(lower, other.lower), upper: min(upper, other.upper)) }
    }
}
