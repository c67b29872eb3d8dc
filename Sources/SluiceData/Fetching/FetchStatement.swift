// The statement of one fetch: a class, and what the descriptor says.

import Foundation
import SluiceSchema
import SluiceSQLite

/// A fetch as SQL.
///
/// The statement may call closures that live as long as this value: whoever runs it keeps the value alive (`withExtendedLifetime`) until
/// the last row is read.
struct FetchStatement {
    let binding: EntityBinding
    /// Translates further expressions over the same rows: what they are grouped by, what they are set to.
    let translator: PredicateTranslator
    /// `FROM … WHERE …`, the class's table under the alias `t`.
    private(set) var source: SQLFragment
    /// The same without `FROM` and the table: ` WHERE …`, or nothing.
    private(set) var condition: SQLFragment
    private let order: SQLFragment

    /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedSortDescriptor`, naming what has no counterpart in SQL.
    init<Model>(_ descriptor: FetchDescriptor<Model>, of binding: EntityBinding, in schema: ContainerSchema, includingSubclasses: Bool = true) throws {
        let translation = try FetchTranslation(descriptor, of: binding, in: schema)
        self.binding = binding
        translator = translation.translator
        order = translation.order
        var terms: [SQLFragment] = []
        let family = includingSubclasses ? binding.store.layout.rowEntities(of: binding.entity) : binding.entity.discriminator.map { [$0] }
        if let family { terms.append("t._entity IN (\(SQLFragment(SQLText.placeholders(family.count), family.map(SQLiteValue.text))))") }
        if !translation.condition.text.isEmpty { terms.append(translation.condition) }
        condition = terms.isEmpty ? "" : " WHERE \(terms.joined(by: " AND "))"
        source = "FROM \(sql: binding.store.layout.table(of: binding.entity).sql) AS t\(condition)"
    }

    /// Tables that the statement looks at besides the class's own: numbers of the container.
    var visited: Set<Int> { translator.visited }

    func selecting(_ columns: SQLFragment, limit: Int? = nil, offset: Int = 0) -> (sql: String, values: [SQLiteValue]) {
        var text = "SELECT "
        text.reserveCapacity(columns.text.utf8.count + source.text.utf8.count + order.text.utf8.count + 48)
        text += columns.text
        text += " "
        text += source.text
        var values = columns.values + source.values
        if !order.text.isEmpty {
            text += " ORDER BY "
            text += order.text
            values += order.values
        }
        if limit != nil || offset > 0 {
            text += " LIMIT ? OFFSET ?"
            values += [SQLiteValue(limit ?? -1), SQLiteValue(offset)]
        }
        return (text, values)
    }

    func selecting(_ columns: String, limit: Int? = nil, offset: Int = 0) -> (sql: String, values: [SQLiteValue]) {
        selecting(SQLFragment(columns), limit: limit, offset: offset)
    }

    // MARK: One value for another

    /// Whether the statement looks at one table and nothing but a value at its end would change with the predicate's constant.
    func isComparison(with value: SQLiteValue) -> Bool {
        visited.isEmpty && order.text.isEmpty && source.values == condition.values && condition.values.last == value
            && condition.values.dropLast().allSatisfy { $0 != value } && condition.text.hasSuffix(" = ?)")
    }

    /// The same statement with another value at its end.
    func comparing(with value: SQLiteValue) -> FetchStatement {
        var statement = self
        statement.condition.replaceLastValue(by: value)
        statement.source.replaceLastValue(by: value)
        return statement
    }

    var counting: (sql: String, values: [SQLiteValue]) {
        let query: SQLFragment = "SELECT count(*) \(source)"
        return (query.text, query.values)
    }
}
