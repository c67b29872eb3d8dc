// Filters and orders as SQL over the column layout. SQL has three truth values and Swift has two: a condition on nil is NULL here, counts
// as false wherever a row is selected, and is made a plain false before it is negated (`AND` and `OR` of NULLs agree with that). Literals
// are bound, never written into the text; only names of tables and columns are.

import SluiceSQLite

/// Turns filters over one entity into SQL, gathering the values to bind in the order of their placeholders.
///
/// The rows' table has the alias `t`.
struct FilterTranslation {
    let layout: StoredSchema
    let entity: StoredEntity
    private(set) var values: [SQLiteValue] = []

    init(layout: StoredSchema, entity: StoredEntity) {
        self.layout = layout
        self.entity = entity
    }

    // MARK: Conditions

    mutating func condition(_ filter: RowFilter) throws(FilterError) -> String {
        switch filter {
        case .and(let left, let right): return "(\(try condition(left)) AND \(try condition(right)))"
        case .or(let left, let right): return "(\(try condition(left)) OR \(try condition(right)))"
        case .not(let inner): return "(coalesce(\(try condition(inner)), 0) = 0)"
        case .comparison(let path, let comparison, let literal):
            return try comparisonCondition(try ResolvedProperty(path, of: entity, in: layout), comparison, literal)
        case .membership(let path, let literals):
            guard !literals.isEmpty else { return "0" }
            let property = try ResolvedProperty(path, of: entity, in: layout)
            var terms: [String] = []
            for literal in literals { terms.append(try comparisonCondition(property, .equal, literal)) }
            return "(\(terms.joined(separator: " OR ")))"
        case .match(let path, let match, let text):
            return try matchCondition(try ResolvedProperty(path, of: entity, in: layout), match, text)
        }
    }

    private mutating func comparisonCondition(
        _ property: ResolvedProperty, _ comparison: RowFilter.Comparison, _ literal: RowFilter.Literal
    ) throws(FilterError) -> String {
        if literal == .null {
            switch comparison {
            case .equal: return "(\(property.sql) IS NULL)"
            case .notEqual: return "(\(property.sql) IS NOT NULL)"
            default: throw .wrongType(property: property.path, expected: "a value: nil has no order", found: "nil")
            }
        }
        let value = try property.value(of: literal)
        if comparison != .equal, comparison != .notEqual { try property.requireOrder() }
        values.append(value)
        switch comparison {
        case .equal: return "(\(property.sql) = \(property.placeholder))"
        // NaN and nil differ from every value; `IS NOT` says so where `<>` says NULL.
        case .notEqual: return "(\(property.sql) IS NOT \(property.placeholder))"
        case .less, .lessOrEqual: return "(\(property.sql) \(comparison.rawValue) ?)"
        case .greater, .greaterOrEqual:
            // A NaN stands in the column as text, and SQLite finds every text greater than every number.
            let guardTerm = property.mayHoldNaN ? " AND typeof(\(property.sql)) <> 'text'" : ""
            return "(\(property.sql) \(comparison.rawValue) ?\(guardTerm))"
        }
    }

    private mutating func matchCondition(
        _ property: ResolvedProperty, _ match: RowFilter.TextMatch, _ text: String
    ) throws(FilterError) -> String {
        let value = try property.value(ofSearched: text)
        switch match {
        // Neither LIKE nor GLOB: `%`, `_` and `*` in the text are only themselves.
        case .contains:
            values.append(.text(value))
            return "(instr(\(property.sql), ?) > 0)"
        // As bytes: length() of a text stops at a NUL.
        case .hasPrefix:
            values += [SQLiteValue(value.utf8.count), .text(value)]
            return "(substr(CAST(\(property.sql) AS BLOB), 1, ?) = CAST(? AS BLOB))"
        }
    }

    // MARK: Order

    /// Terms of `ORDER BY`; the key comes last, so that the order is total.
    func order(_ order: RowOrder) throws(FilterError) -> String {
        var terms: [String] = []
        for term in order.terms {
            let property = try ResolvedProperty(term.path, of: entity, in: layout)
            try property.requireOrder()
            terms.append(property.sql + (term.isDescending ? " DESC" : ""))
        }
        return (terms + ["t._pk"]).joined(separator: ", ")
    }
}
