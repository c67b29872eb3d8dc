// SQL has three truth values and Swift has two. A condition here holds or does not: where SQL says NULL it does not hold. That agrees with
// WHERE, AND and OR as they are; only where a condition is negated or used as a value is a NULL made a plain false first.

import SluiceSQLite

/// A condition in SQL.
struct Condition {
    private enum Shape {
        case single
        case all
        case any
    }

    private var shape = Shape.single
    private var parts: [SQLFragment]
    /// Whether it is never NULL.
    private(set) var isTotal: Bool
    /// The negation where it has a form of its own, which an index can serve.
    private var opposite: SQLFragment?
    private var isOppositeTotal = true
    /// nil unless the condition does not depend on any row.
    private(set) var constant: Bool?
    /// Expressions that are not NULL where the condition holds, and where it does not: what makes a forced unwrapping safe.
    var presentWhereTrue: Set<SQLFragment> = []
    var presentWhereFalse: Set<SQLFragment> = []

    init(_ sql: SQLFragment, isTotal: Bool = false, opposite: SQLFragment? = nil, isOppositeTotal: Bool = true) {
        parts = [sql]
        self.isTotal = isTotal
        self.opposite = opposite
        self.isOppositeTotal = isOppositeTotal
    }

    init(_ constant: Bool) {
        parts = [constant ? "1" : "0"]
        isTotal = true
        self.constant = constant
    }

    // MARK: As SQL

    /// SQLite's parser takes expressions a thousand deep, and counts each AND as one level.
    private static let partCountMax = 100

    /// In brackets. NULL means that it does not hold.
    var sql: SQLFragment {
        switch shape {
        case .single: parts[0]
        case .all: Self.joined(parts, by: " AND ")
        case .any: Self.joined(parts, by: " OR ")
        }
    }

    private static func joined(_ parts: [SQLFragment], by operation: String) -> SQLFragment {
        guard parts.count > partCountMax else { return "(\(parts.joined(by: operation)))" }
        let groups = parts.inParts(of: partCountMax).map { joined($0, by: operation) }
        return joined(groups, by: operation)
    }

    /// 1 or 0.
    var value: SQLFragment { isTotal ? sql : "coalesce(\(sql), 0)" }

    // MARK: Combining

    var negated: Condition {
        if let constant { return Condition(!constant) }
        var negation =
            opposite.map { Condition($0, isTotal: isOppositeTotal, opposite: sql, isOppositeTotal: isTotal) }
            ?? Condition(isTotal ? "(NOT \(sql))" : "(coalesce(\(sql), 0) = 0)", isTotal: true, opposite: value)
        negation.presentWhereTrue = presentWhereFalse
        negation.presentWhereFalse = presentWhereTrue
        return negation
    }

    func and(_ other: Condition) -> Condition {
        if let constant { return constant ? other : self }
        if let constant = other.constant { return constant ? self : other }
        var result = combined(with: other, .all)
        result.presentWhereTrue = presentWhereTrue.union(other.presentWhereTrue)
        return result
    }

    func or(_ other: Condition) -> Condition {
        if let constant { return constant ? self : other }
        if let constant = other.constant { return constant ? other : self }
        var result = combined(with: other, .any)
        result.presentWhereFalse = presentWhereFalse.union(other.presentWhereFalse)
        return result
    }

    private func combined(with other: Condition, _ shape: Shape) -> Condition {
        var result = self
        result.shape = shape
        result.parts = (self.shape == shape ? parts : [sql]) + (other.shape == shape ? other.parts : [other.sql])
        result.isTotal = isTotal && other.isTotal
        result.opposite = nil
        result.presentWhereTrue = []
        result.presentWhereFalse = []
        return result
    }
}
