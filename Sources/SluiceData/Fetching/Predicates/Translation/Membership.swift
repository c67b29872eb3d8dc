// Whether a value is among those of a captured collection, or in a range.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    /// Placeholders in one list. SQLite takes 32,766 in a statement; longer lists travel as one value.
    private static let listedCountMax = 500

    /// - Parameter elements: the captured collection's, as they come.
    /// - Throws: `SwiftDataError.unsupportedPredicate` for what cannot be compared in SQL.
    func isMember<Value: Equatable>(_ element: SQLTerm, of elements: [Value]) throws -> Condition {
        switch element {
        case .constant(let element): return Condition(typed(unwrapped(element), as: Value.self).map(elements.contains) ?? false)
        case .identifier(let row), .row(let row): return isMember(row, of: elements.map { unwrapped($0) })
        case .value(let value) where value.form.comparison != .opaque && value.form.comparison != .address:
            let known = elements.compactMap { unwrapped($0) }
            let stored = try known.map { try literal($0, in: value.form).comparison.values[0] }
            let numbers = value.form.comparison == .real ? stored.filter { $0.text == nil } : stored
            let isIn = isListed(value.comparison, among: numbers)
            return known.count < elements.count ? isIn.or(try absence(of: element)) : isIn
        default:
            return try condition(compute(element) { (element: Value) in elements.contains(element) })
        }
    }

    private func isMember(_ row: RowTerm, of elements: [Any?]) -> Condition {
        let identifiers = elements.compactMap { element in
            (element as? PersistentIdentifier) ?? (element as? any PersistentModel)?.persistentModelID
        }
        let keys = identifiers.compactMap { key(of: $0, in: row.binding) }
        let isIn = isListed(row.key, among: keys.map(SQLiteValue.integer))
        return elements.contains { $0 == nil } ? isIn.or(row.presence.negated) : isIn
    }

    /// `IN`, with few forms for lists of all lengths, so that statements are prepared once.
    private func isListed(_ sql: SQLFragment, among values: [SQLiteValue]) -> Condition {
        guard let last = values.last else { return Condition(false) }
        guard values.count > Self.listedCountMax else {
            var count = 1
            while count < values.count { count *= 2 }
            let padded = values + Array(repeating: last, count: count - values.count)
            return Condition("(\(sql) IN (\(SQLFragment(SQLText.placeholders(count), padded))))")
        }
        if let packed = Self.packed(values) { return Condition("(\(sql) IN (\(packed)))") }
        let members = Set(values)
        let call = calls.add { members.contains($0[0]) ? 1 : 0 }
        return Condition("\(sql: SQLFunctions.call)(\(bind: call), \(sql))")
    }

    /// Values as one placeholder, in a query that gives them back one by one: an index on the column still serves.
    private static func packed(_ values: [SQLiteValue]) -> SQLFragment? {
        if values.allSatisfy({ $0.integer != nil }) {
            let list = "[" + values.compactMap(\.integer).map(String.init).joined(separator: ",") + "]"
            return "SELECT value FROM json_each(\(bind: .text(list)))"
        }
        let texts = values.compactMap(\.text)
        // A NUL would end the text that json_each gives back.
        if texts.count == values.count, !texts.contains(where: { $0.utf8.contains(0) }), let list = try? CanonicalJSON.encode(texts) {
            return "SELECT value FROM json_each(\(bind: .text(String(decoding: list, as: UTF8.self))))"
        }
        let blobs = values.compactMap(\.blob)
        guard blobs.count == values.count, let size = blobs.first?.count, size > 0, blobs.allSatisfy({ $0.count == size }) else { return nil }
        let all = SQLiteValue.blob(Data(blobs.joined()))
        let (width, count) = (SQLiteValue(size), SQLiteValue(blobs.count))
        return """
            WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < \(bind: count))
            SELECT substr(\(bind: all), n * \(bind: width) + 1, \(bind: width)) FROM place
            """
    }

    // MARK: Ranges

    /// - Throws: `SwiftDataError.unsupportedPredicate` for what has no order in SQL.
    func isIn<Bound: Comparable>(_ range: RangeTerm, _ element: SQLTerm, as type: Bound.Type) throws -> Condition {
        var condition = Condition(true)
        if let lower = range.lower { condition = condition.and(try compare(element, .greaterOrEqual, lower, as: type)) }
        if let upper = range.upper {
            condition = condition.and(try compare(element, range.includesUpper ? .lessOrEqual : .less, upper, as: type))
        }
        return condition
    }

    func isIn(_ range: RangeTerm, _ element: SQLTerm, asAny type: any Comparable.Type) throws -> Condition {
        func opened<Bound: Comparable>(_ type: Bound.Type) throws -> Condition { try isIn(range, element, as: type) }
        return try opened(type)
    }
}

/// A range of the standard library, whatever its kind.
protocol BoundedRange {
    var lowerValue: Any? { get }
    var upperValue: Any? { get }
    var includesUpperValue: Bool { get }
}

extension BoundedRange {
    var includesUpperValue: Bool { false }
    var lowerValue: Any? { nil }
    var upperValue: Any? { nil }

    var term: RangeTerm {
        RangeTerm(lower: lowerValue.map(SQLTerm.constant), upper: upperValue.map(SQLTerm.constant), includesUpper: includesUpperValue)
    }
}

extension Range: BoundedRange {
    var lowerValue: Any? { lowerBound }
    var upperValue: Any? { upperBound }
}

extension ClosedRange: BoundedRange {
    var lowerValue: Any? { lowerBound }
    var upperValue: Any? { upperBound }
    var includesUpperValue: Bool { true }
}

extension PartialRangeFrom: BoundedRange {
    var lowerValue: Any? { lowerBound }
}

extension PartialRangeUpTo: BoundedRange {
    var upperValue: Any? { upperBound }
}

extension PartialRangeThrough: BoundedRange {
    var upperValue: Any? { upperBound }
    var includesUpperValue: Bool { true }
}
