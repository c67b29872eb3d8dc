// Arithmetic. Where Swift would stop the program, at an overflow or a division by zero, the result is no value, and the comparison that it
// stands in does not hold.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    /// - Throws: `SwiftDataError.unsupportedPredicate` for numbers of a type that cannot be stored.
    func calculate<Value: Numeric>(_ left: SQLTerm, _ operation: ArithmeticOperation, _ right: SQLTerm, as type: Value.Type) throws -> SQLTerm {
        let isKnown: Bool
        if case .constant = left, case .constant = right { isKnown = true } else { isKnown = false }
        guard !isKnown, let form = ColumnForm(of: type) else { return try calculateBySwift(left, operation, right, as: type) }
        switch form.comparison {
        case .integer:
            guard let bounds = (type as? any FixedWidthInteger.Type).flatMap({ Self.bounds(of: $0) }) else { break }
            let (left, right) = (try value(left, as: type, comparedBy: .integer), try value(right, as: type, comparedBy: .integer))
            return .value(
                ValueTerm(
                    """
                    \(sql: SQLFunctions.integer)(\(bind: .integer(operation.rawValue)), \(left.sql), \(right.sql), \
                    \(bind: .integer(bounds.lowerBound)), \(bind: .integer(bounds.upperBound)))
                    """, form: form, causes: left.causes.union(right.causes)))
        case .real where type == Double.self || type == Float.self || type == CGFloat.self:
            let (left, right) = (try value(left, as: type, comparedBy: .real), try value(right, as: type, comparedBy: .real))
            return .value(
                ValueTerm(
                    """
                    \(sql: SQLFunctions.real)(\(bind: .integer(operation.rawValue)), \(left.sql), \(right.sql), \(bind: type == Float.self ? 1 : 0))
                    """, form: form, causes: left.causes.union(right.causes)))
        default: break
        }
        return try calculateBySwift(left, operation, right, as: type)
    }

    private static func bounds<Value: FixedWidthInteger>(of type: Value.Type) -> ClosedRange<Int64>? {
        guard let lower = Int64(exactly: Value.min), let upper = Int64(exactly: Value.max) else { return nil }
        return lower...upper
    }

    private func calculateBySwift<Value: Numeric>(
        _ left: SQLTerm, _ operation: ArithmeticOperation, _ right: SQLTerm, as type: Value.Type
    ) throws -> SQLTerm {
        try compute(left, right) { (left: Value, right: Value) in Self.result(left, operation, right) }
    }

    private static func result<Value: Numeric>(_ left: Value, _ operation: ArithmeticOperation, _ right: Value) -> Value? {
        func integer<Number: FixedWidthInteger>(_ left: Number) -> Value? {
            guard let right = right as? Number else { return nil }
            return operation.integer(left, right) as? Value
        }
        func real<Number: FloatingPoint>(_ left: Number) -> Value? {
            guard let right = right as? Number else { return nil }
            return operation.real(left, right) as? Value
        }
        if let left = left as? any FixedWidthInteger { return integer(left) }
        if let left = left as? any FloatingPoint { return real(left) }
        switch operation {
        case .add: return left + right
        case .subtract: return left - right
        case .multiply: return left * right
        case .divide, .remainder: return nil
        }
    }
}
