public import Foundation
import SluiceSchema
import SluiceSQLite

/// What an update does to one property of every row that it changes.
///
///     try context.update(Item.self, where: #Predicate { $0.isDone }, set: .set(\.note, to: nil), .increment(\.count, by: 1))
public struct PropertyChange<Model: PersistentModel> {
    let keyPath: AnyKeyPath
    /// The new value, in the form of the property's column.
    let value: (PredicateTranslator, ChangedProperty) throws -> SQLFragment

    // MARK: Values

    /// Gives the property a value. nil empties an optional one; a model must be saved and in the same store.
    public static func set<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value) -> PropertyChange {
        PropertyChange(keyPath: keyPath) { _, property in try property.literal(value) }
    }

    /// Gives the property what an expression makes of the row as it was before: `.set(\.total, to: #Expression { $0.price * $0.count })`.
    public static func set<Value>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, to expression: Expression<Model, Value>) -> PropertyChange {
        PropertyChange(keyPath: keyPath) { translator, property in
            translator.bind(expression.variable, to: .row(property.row))
            return try property.expression(translator.term(expression.expression), as: Value.self, translator)
        }
    }

    /// Turns true into false and false into true.
    public static func toggle(_ keyPath: ReferenceWritableKeyPath<Model, Bool>) -> PropertyChange {
        PropertyChange(keyPath: keyPath) { translator, property in
            try property.expression(.condition(translator.condition(property.term(translator)).negated), as: Bool.self, translator)
        }
    }

    // MARK: Arithmetic

    /// Adds to the property.
    ///
    /// The update throws `SwiftDataError.arithmeticOverflow` where a result does not fit; then nothing is changed.
    public static func increment<Value: Numeric>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, by amount: Value) -> PropertyChange {
        calculation(keyPath, .add, amount)
    }

    /// Adds to the property where it is not nil.
    public static func increment<Value: Numeric>(_ keyPath: ReferenceWritableKeyPath<Model, Value?>, by amount: Value) -> PropertyChange {
        calculation(keyPath, .add, amount)
    }

    /// Multiplies the property.
    public static func multiply<Value: Numeric>(_ keyPath: ReferenceWritableKeyPath<Model, Value>, by factor: Value) -> PropertyChange {
        calculation(keyPath, .multiply, factor)
    }

    /// Multiplies the property where it is not nil.
    public static func multiply<Value: Numeric>(_ keyPath: ReferenceWritableKeyPath<Model, Value?>, by factor: Value) -> PropertyChange {
        calculation(keyPath, .multiply, factor)
    }

    private static func calculation<Value: Numeric>(_ keyPath: AnyKeyPath, _ operation: ArithmeticOperation, _ operand: Value) -> PropertyChange {
        PropertyChange(keyPath: keyPath) { translator, property in
            let old = try property.term(translator)
            let result = try translator.calculate(old, operation, .constant(operand), as: Value.self)
            let value = try property.expression(result, as: Value.self, translator)
            // nil stays nil; a number that does not fit must not become it.
            guard property.isOptional else { return value }
            return "iif(\(try translator.absence(of: old).sql), NULL, \(sql: SQLFunctions.required)(\(value)))"
        }
    }
}
