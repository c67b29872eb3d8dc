import Foundation
import SluiceRecords

/// One filter, ready to be held against values of the records of one zone.
///
/// A comparator that denies holds exactly where the one that it denies does not, so also where the field is absent or of another type.
struct QueryTest: Sendable {
    let key: QueryKey
    private let comparator: QueryComparator
    private let isDenied: Bool
    /// The value, where it is compared as a whole.
    private let operand: QueryOperand?
    /// Its elements, where it is a list.
    private let operands: Set<QueryOperand>
    private let tokens: Set<String>
    private let place: Location?
    private let distance: Double
    private let zone: String

    /// - Parameter filter: one that `QueryRules` has let through.
    init(_ filter: QueryFilter, in zone: String) {
        key = filter.key
        comparator = filter.comparator.denied ?? filter.comparator
        isDenied = filter.comparator.denied != nil
        let value = filter.key.isSystem ? Self.named(filter.value) : filter.value
        operand = QueryOperand(value, in: zone)
        operands = Set(QueryOperand.list(value, in: zone) ?? [])
        tokens = Self.texts(of: value).reduce(into: []) { $0.formUnion(QueryOperand.tokens(of: $1)) }
        if case .location(let location) = value { place = location } else { place = nil }
        distance = filter.distance ?? 0
        self.zone = zone
    }

    /// A record or a user may be named by a reference too.
    private static func named(_ value: FieldValue) -> FieldValue {
        switch value {
        case .reference(let reference): .string(reference.recordName)
        case .referenceList(let list): .stringList(list.map(\.recordName))
        default: value
        }
    }

    private static func texts(of value: FieldValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .stringList(let list): list
        default: []
        }
    }

    func holds(for value: FieldValue?) -> Bool { isTrue(for: value) != isDenied }

    private func isTrue(for value: FieldValue?) -> Bool {
        guard let value else { return false }
        switch comparator {
        case .equals: return scalar(value).map { $0 == operand } ?? false
        case .in: return scalar(value).map { operands.contains($0) } ?? false
        case .lessThan: return order(value).map { $0 < 0 } ?? false
        case .lessThanOrEquals: return order(value).map { $0 <= 0 } ?? false
        case .greaterThan: return order(value).map { $0 > 0 } ?? false
        case .greaterThanOrEquals: return order(value).map { $0 >= 0 } ?? false
        case .beginsWith: return scalar(value).map(beginsWithText) ?? false
        case .near:
            guard case .location(let location) = value, let place else { return false }
            return QueryOperand.distance(location, place) <= distance
        case .containsAllTokens: return !tokens.isEmpty && tokens.isSubset(of: words(of: value))
        case .containsAnyTokens: return !tokens.isDisjoint(with: words(of: value))
        case .listContains: return list(value).contains { $0 == operand }
        case .listContainsAny, .containsAny: return list(value).contains { operands.contains($0) }
        case .listContainsAll: return isList(value) && operands.isSubset(of: list(value))
        case .listMemberBeginsWith: return list(value).contains(where: beginsWithText)
        case .notEquals, .notIn, .notListContains, .notListContainsAny, .notListContainsAll, .notBeginsWith, .notListMemberBeginsWith:
            return false
        }
    }

    private func scalar(_ value: FieldValue) -> QueryOperand? { QueryOperand(value, in: zone) }
    private func list(_ value: FieldValue) -> [QueryOperand] { QueryOperand.list(value, in: zone) ?? [] }
    private func isList(_ value: FieldValue) -> Bool { QueryOperand.list(value, in: zone) != nil }
    private func words(of value: FieldValue) -> Set<String> {
        Self.texts(of: value).reduce(into: []) { $0.formUnion(QueryOperand.tokens(of: $1)) }
    }

    private func order(_ value: FieldValue) -> Int? {
        guard let operand else { return nil }
        return scalar(value)?.order(to: operand)
    }

    private func beginsWithText(_ value: QueryOperand) -> Bool {
        guard case .text(let text) = value, case .text(let prefix)? = operand else { return false }
        return text.starts(with: prefix)
    }
}

extension QueryKey {
    var isSystem: Bool { if case .system = self { true } else { false } }
}
