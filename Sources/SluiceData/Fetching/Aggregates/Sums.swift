// Sums and averages. Swift's numbers and not SQL's: an integer that does not fit is an error and not a double, a NaN makes the result a
// NaN, and a decimal is added up as a decimal.

public import Foundation
import SluiceSchema
import SluiceSQLite

extension Aggregate where Value == Int {
    /// The sum of whole numbers; 0 where there is none.
    ///
    /// The fetch throws `SwiftDataError.arithmeticOverflow` where it does not fit.
    public static func sum(_ keyPath: KeyPath<Model, some FixedWidthInteger>) -> Aggregate { wholeSum(keyPath) }
    public static func sum(_ keyPath: KeyPath<Model, (some FixedWidthInteger)?>) -> Aggregate { wholeSum(keyPath) }

    private static func wholeSum(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            let value = try translator.attribute(keyPath, of: binding)
            // The upper half of 64 bits without a sign reads as negative: a sum with one of them fits no Int anyway.
            let isUnsigned = value.form.comparison == .unsigned
            let sql: SQLFragment = isUnsigned ? "iif(min(\(value.sql)) < 0, '', sum(\(value.sql)))" : "sum(\(value.sql))"
            return Plan(sql: sql) { stored in
                if stored.text != nil { throw SwiftDataError.overflow(of: keyPath, binding) }
                return Int(stored.integer ?? 0)
            }
        }
    }
}

extension Aggregate where Value == Double {
    /// The sum of numbers; 0 where there is none.
    public static func sum(_ keyPath: KeyPath<Model, some BinaryFloatingPoint>) -> Aggregate { realSum(keyPath) }
    public static func sum(_ keyPath: KeyPath<Model, (some BinaryFloatingPoint)?>) -> Aggregate { realSum(keyPath) }

    private static func realSum(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            Plan(sql: try translator.realFigure("sum", keyPath, of: binding)) { Double(stored: $0) ?? 0 }
        }
    }
}

extension Aggregate where Value == Decimal {
    /// The sum of decimals; 0 where there is none.
    public static func sum(_ keyPath: KeyPath<Model, Decimal>) -> Aggregate { decimalSum(keyPath) }
    public static func sum(_ keyPath: KeyPath<Model, Decimal?>) -> Aggregate { decimalSum(keyPath) }

    private static func decimalSum(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            let value = try translator.attribute(keyPath, of: binding)
            return Plan(sql: "\(sql: SQLFunctions.decimalSum)(\(value.sql))") { Decimal(stored: $0) ?? 0 }
        }
    }
}

// MARK: Averages

extension Aggregate where Value == Double? {
    /// The average; nil where there is no value.
    public static func average(_ keyPath: KeyPath<Model, some FixedWidthInteger>) -> Aggregate { wholeAverage(keyPath) }
    public static func average(_ keyPath: KeyPath<Model, (some FixedWidthInteger)?>) -> Aggregate { wholeAverage(keyPath) }
    public static func average(_ keyPath: KeyPath<Model, some BinaryFloatingPoint>) -> Aggregate { realAverage(keyPath) }
    public static func average(_ keyPath: KeyPath<Model, (some BinaryFloatingPoint)?>) -> Aggregate { realAverage(keyPath) }

    private static func wholeAverage(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            let value = try translator.attribute(keyPath, of: binding)
            let number: SQLFragment =
                value.form.comparison == .unsigned ? "\(value.sql) + iif(\(value.sql) < 0, 18446744073709551616.0, 0)" : value.sql
            return Plan(sql: "avg(\(number))") { Double(stored: $0) }
        }
    }

    private static func realAverage(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            Plan(sql: try translator.realFigure("avg", keyPath, of: binding)) { Double(stored: $0) }
        }
    }
}

extension Aggregate where Value == Decimal? {
    /// The average; nil where there is no value.
    public static func average(_ keyPath: KeyPath<Model, Decimal>) -> Aggregate { decimalAverage(keyPath) }
    public static func average(_ keyPath: KeyPath<Model, Decimal?>) -> Aggregate { decimalAverage(keyPath) }

    private static func decimalAverage(_ keyPath: AnyKeyPath) -> Aggregate {
        Aggregate { translator, binding in
            let value = try translator.attribute(keyPath, of: binding)
            return Plan(sql: "\(sql: SQLFunctions.decimalAverage)(\(value.sql))") { Decimal(stored: $0) }
        }
    }
}

extension PredicateTranslator {
    /// A figure of doubles. A NaN stands in its column as text, which `sum` takes for 0; the greatest value is text where there is one.
    fileprivate func realFigure(_ function: String, _ keyPath: AnyKeyPath, of binding: EntityBinding) throws -> SQLFragment {
        let sql = try attribute(keyPath, of: binding).sql
        return "iif(typeof(max(\(sql))) = 'text', 'nan', \(sql: function)(\(sql)))"
    }
}
