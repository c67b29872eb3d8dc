// Ours; SwiftData adds nothing up. A figure is that of the store: unsaved changes of the context do not count, so where there are any the
// context throws unless it is told to leave them out.

public import Foundation
import SluiceSchema
import SluiceSQLite

/// The figures of the rows that have one value in common.
public struct AggregateGroup<Key, Result> {
    /// The value, or the model, that the rows have in common.
    public let key: Key
    /// The figure, or the figures in the order in which they were asked for.
    public let result: Result
}

extension AggregateGroup: Sendable where Key: Sendable, Result: Sendable {}

extension ModelContext {
    /// Works a figure out over the rows of a class, in the store.
    ///
    ///     let total = try context.aggregate(Item.self, .sum(\.price), where: #Predicate { $0.isDone })
    ///
    /// - Throws: as the other `aggregate(_:where:includePendingChanges:)`.
    public func aggregate<Model: PersistentModel, Value>(
        _ model: Model.Type, _ aggregate: Aggregate<Model, Value>, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true
    ) throws -> Value {
        let query = try AggregateQuery(predicate, core: core)
        let plan = try aggregate.plan(query.statement.translator, query.binding)
        try query.check(includePendingChanges: includePendingChanges)
        return try plan.read(try query.rows([plan.sql]).first?.first ?? .null)
    }

    /// Works figures out over the rows of a class, in the store and in one pass.
    ///
    ///     let (count, latest) = try context.aggregate(Item.self, .count, .maximum(\.createdAt), where: #Predicate { $0.isDone })
    ///
    /// - Parameters:
    ///   - predicate: which rows take part; nil for all. Rows of subclasses do too.
    ///   - includePendingChanges: whether unsaved changes of the classes concerned are an error. Where false, the figures are those of the
    ///     store.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` and `.unsupportedPredicate` for what the store does not know, `.unsavedChanges`,
    ///   `.arithmeticOverflow` where a sum does not fit, or the store's error.
    public func aggregate<Model: PersistentModel, each Value>(
        _ model: Model.Type, _ aggregates: repeat Aggregate<Model, each Value>, where predicate: Predicate<Model>? = nil,
        includePendingChanges: Bool = true
    ) throws -> (repeat each Value) {
        let query = try AggregateQuery(predicate, core: core)
        let plans = (repeat try (each aggregates).plan(query.statement.translator, query.binding))
        var columns: [SQLFragment] = []
        repeat columns.append((each plans).sql)
        try query.check(includePendingChanges: includePendingChanges)
        let row = try query.rows(columns).first ?? []
        var reader = FigureReader(row: row)
        return (repeat try reader.next((each plans).read))
    }

    /// Works figures out for each value of a property, or each model at the end of a relationship to one.
    ///
    ///     for group in try context.aggregate(Item.self, .count, .sum(\.price), groupedBy: \.category) {
    ///         print(group.key, group.result.0, group.result.1)
    ///     }
    ///
    /// - Parameters:
    ///   - key: what rows are grouped by: a stored property, also of a partner, or a relationship to one model.
    ///   - predicate: which rows take part; nil for all.
    ///   - includePendingChanges: whether unsaved changes of the classes concerned are an error.
    /// - Returns: one group for each value that occurs, in the order of the values; nil comes first.
    /// - Throws: as `aggregate(_:where:includePendingChanges:)`.
    public func aggregate<Model: PersistentModel, Key, each Value>(
        _ model: Model.Type, _ aggregates: repeat Aggregate<Model, each Value>, groupedBy key: KeyPath<Model, Key>,
        where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true
    ) throws -> [AggregateGroup<Key, (repeat each Value)>] {
        let query = try AggregateQuery(predicate, core: core)
        let grouping = try AggregateGrouping(key, query)
        let plans = (repeat try (each aggregates).plan(query.statement.translator, query.binding))
        var columns: [SQLFragment] = [grouping.column]
        repeat columns.append((each plans).sql)
        try query.check(includePendingChanges: includePendingChanges)
        let rows = try query.rows(columns, then: grouping.clauses)
        let keys = try grouping.keys(rows.map { $0[0] }, as: Key.self, core: core)
        return try zip(keys, rows).map { key, row in
            var reader = FigureReader(row: Array(row.dropFirst()))
            return AggregateGroup(key: key, result: (repeat try reader.next((each plans).read)))
        }
    }

    /// The different values of a property, in the property's order; nil comes first.
    ///
    ///     let categories = try context.distinct(Item.self, \.category, where: #Predicate { !$0.isArchived })
    ///
    /// - Parameters:
    ///   - predicate: which rows take part; nil for all.
    ///   - includePendingChanges: whether unsaved changes of the classes concerned are an error.
    /// - Throws: as `aggregate(_:where:includePendingChanges:)`.
    public func distinct<Model: PersistentModel, Value>(
        _ model: Model.Type, _ keyPath: KeyPath<Model, Value>, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true
    ) throws -> [Value] {
        let query = try AggregateQuery(predicate, core: core)
        let grouping = try AggregateGrouping(keyPath, query)
        try query.check(includePendingChanges: includePendingChanges)
        let rows = try query.rows([grouping.column], then: grouping.clauses)
        var seen: Set<AnyHashable> = []
        return try grouping.values(rows.map { $0[0] }, as: Value.self, core: core).filter { value in
            // What the store tells apart may be equal to Swift.
            (value as? any Hashable).map { seen.insert(AnyHashable($0)).inserted } ?? true
        }
    }
}

/// Reads figures out of a row, one after the other.
private struct FigureReader {
    let row: [SQLiteValue]
    private var column = 0

    init(row: [SQLiteValue]) { self.row = row }

    mutating func next<Value>(_ read: (SQLiteValue) throws -> Value) throws -> Value {
        defer { column += 1 }
        return try read(column < row.count ? row[column] : .null)
    }
}
