// What a fetch would be added up for, added up by the store instead: no model is made, and one pass over the rows gives every figure that
// is asked for.

import SluiceSchema
import SluiceSQLite

/// One figure over the rows of a class: a count, a sum, an average, a least or greatest value.
///
///     let (count, total) = try context.aggregate(Item.self, .count, .sum(\.price), where: #Predicate { $0.isDone })
///
/// A key path leads to a stored property of the class or, over relationships to one model, of a partner: `\.list?.budget`. Values that are
/// nil do not take part.
public struct Aggregate<Model: PersistentModel, Value>: @unchecked Sendable {
    // Sendable: the closure captures a key path and types. Key path literals are only not marked so.

    let plan: (PredicateTranslator, EntityBinding) throws -> Plan

    /// How a statement makes the figure.
    struct Plan {
        let sql: SQLFragment
        let read: (SQLiteValue) throws -> Value
    }

    init(_ plan: @escaping (PredicateTranslator, EntityBinding) throws -> Plan) { self.plan = plan }
}

// MARK: Counts

extension Aggregate where Value == Int {
    /// The number of rows.
    public static var count: Aggregate {
        Aggregate { _, _ in Plan(sql: "count(*)") { Int($0.integer ?? 0) } }
    }

    /// The number of rows in which a property is not nil.
    public static func count<Property>(of keyPath: KeyPath<Model, Property?>) -> Aggregate {
        Aggregate { translator, binding in
            Plan(sql: "count(\(try translator.counted(keyPath, of: binding)))") { Int($0.integer ?? 0) }
        }
    }

    /// The number of different values of a property, nil left out.
    public static func count<Property>(distinct keyPath: KeyPath<Model, Property>) -> Aggregate {
        Aggregate { translator, binding in
            Plan(sql: "count(DISTINCT \(try translator.grouped(keyPath, of: binding)))") { Int($0.integer ?? 0) }
        }
    }
}

// MARK: Least and greatest

extension Aggregate {
    /// The least value; nil where there is none. A NaN is no value here.
    public static func minimum<Property: Comparable>(_ keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Property? {
        Aggregate { translator, binding in try Extreme(.least, keyPath, of: binding, translator).plan() }
    }

    public static func minimum<Property: Comparable>(_ keyPath: KeyPath<Model, Property?>) -> Aggregate where Value == Property? {
        Aggregate { translator, binding in try Extreme(.least, keyPath, of: binding, translator).plan() }
    }

    /// The greatest value; nil where there is none. A NaN is no value here.
    public static func maximum<Property: Comparable>(_ keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Property? {
        Aggregate { translator, binding in try Extreme(.greatest, keyPath, of: binding, translator).plan() }
    }

    public static func maximum<Property: Comparable>(_ keyPath: KeyPath<Model, Property?>) -> Aggregate where Value == Property? {
        Aggregate { translator, binding in try Extreme(.greatest, keyPath, of: binding, translator).plan() }
    }
}
