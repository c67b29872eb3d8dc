import SluiceData

// Generic types in properties, conformances in extensions, wide numbers.

struct Tagged<Tag, Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    var value: Value
}

struct Range2<Bound: Comparable & Codable>: Codable {
    var lower: Bound
    var upper: Bound
}

enum AccountTag {}

@Model
final class Account {
    @Attribute(.unique) var number: Tagged<AccountTag, Int>
    var balance: Decimal = 0
    var limits: Range2<Double> = Range2(lower: -500, upper: 10_000)
    var rates: [String: Range2<Double>] = [:]
    var owner: Tagged<AccountTag, String>?
    var opened: Date = Date(timeIntervalSince1970: 0)
    var small: Int16 = 1
    var wide: Int64 = .max
    var unsigned: UInt32 = 7
    var ratio: Float = 0.5
    var isOpen: Bool = true
    var site: URL?
    @Relationship(deleteRule: .deny, inverse: \Entry.account) var entries: [Entry] = []

    init(number: Int) {
        self.number = Tagged(value: number)
    }
}

@Model
final class Entry {
    var amount: Decimal
    var memo: String?
    var account: Account?
    var counterpart: Account!

    init(amount: Decimal, memo: String? = nil) {
        self.amount = amount
        self.memo = memo
    }
}

extension Account: Comparable {
    static func < (left: Account, right: Account) -> Bool { left.number.value < right.number.value }
}

extension Account: CustomDebugStringConvertible {
    var debugDescription: String { "Account \(number.value)" }
}

extension Entry {
    enum Kind { case credit, debit }

    var kind: Kind { amount < 0 ? .debit : .credit }

    static func sum(of entries: [Entry]) -> Decimal { entries.reduce(0) { $0 + $1.amount } }
}
