/// Swift's arithmetic for SQL, whose own turns an integer that overflows into a double, a division by zero into NULL, and a NaN into
/// nothing.
package enum ArithmeticOperation: Int64 {
    case add
    case subtract
    case multiply
    case divide
    case remainder

    /// nil where Swift would stop the program: an overflow, a division by zero.
    package func integer<Value: FixedWidthInteger>(_ left: Value, _ right: Value) -> Value? {
        let (result, overflow) =
            switch self {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .remainder: left.remainderReportingOverflow(dividingBy: right)
            }
        return overflow ? nil : result
    }

    /// The same for a type whose values are those in `range`.
    package func integer(_ left: Int64, _ right: Int64, in range: ClosedRange<Int64>) -> Int64? {
        integer(left, right).flatMap { range.contains($0) ? $0 : nil }
    }

    package func real<Value: FloatingPoint>(_ left: Value, _ right: Value) -> Value {
        switch self {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        case .remainder: left.truncatingRemainder(dividingBy: right)
        }
    }
}
