import Foundation
import SluiceSchema
import SluiceSQLite

/// The least or greatest value of a property, in the order that the property's type has.
struct Extreme {
    enum End {
        case least
        case greatest
    }

    private let sql: SQLFragment
    private let decode: (SQLiteValue) -> Any?

    init(_ end: End, _ keyPath: AnyKeyPath, of binding: EntityBinding, _ translator: PredicateTranslator) throws {
        let value = try translator.attribute(keyPath, of: binding)
        let form = value.form
        let function = end == .least ? "min" : "max"
        if !form.isOrdered {
            guard let ranks = CaseRanks(of: form) else {
                throw SwiftDataError.unsupportedKeyPath.because(
                    "\(keyPath) of \(binding.entity.name) has no least or greatest value in a store: the order of \(form.type) is known to Swift alone")
            }
            sql = "\(sql: function)(\(ranks.rank(of: value.sql)))"
            decode = { stored in stored.integer.flatMap { ranks.stored(at: $0) }.flatMap(form.decode) }
            return
        }
        switch form.comparison {
        // Texts are greater than all numbers, and a NaN is one.
        case .real: (sql, decode) = ("\(sql: function)(iif(typeof(\(value.sql)) = 'text', NULL, \(value.sql)))", form.decode)
        // With the upper half of the numbers and the lower one exchanged, as SQL takes the upper one for negative.
        case .unsigned:
            let moved: SQLFragment = "iif(\(value.sql) < 0, \(value.sql) + 9223372036854775807 + 1, \(value.sql) - 9223372036854775807 - 1)"
            sql = "\(sql: function)(\(moved))"
            decode = { stored in stored.integer.flatMap { form.decode(.integer($0 ^ .min)) } }
        case .decimal:
            sql = "\(sql: end == .least ? SQLFunctions.decimalLeast : SQLFunctions.decimalGreatest)(\(value.sql))"
            decode = form.decode
        case .text, .boolean, .integer, .bytes, .address, .opaque: (sql, decode) = ("\(sql: function)(\(value.comparison))", form.decode)
        }
    }

    func plan<Model, Property>() -> Aggregate<Model, Property?>.Plan {
        let decode = decode
        return .init(sql: sql) { decode($0) as? Property }
    }
}
