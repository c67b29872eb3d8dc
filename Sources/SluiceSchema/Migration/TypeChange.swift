// What a change of an attribute's type means for the values that are there. Widening keeps every value; anything else is left to a custom
// stage, where each value converts if it can.

import FoundationEssentials

/// An attribute's type before and after.
package struct TypeChange: Hashable, Sendable {
    package let from: AttributeType
    package let to: AttributeType

    package init(from: AttributeType, to: AttributeType) {
        self.from = from
        self.to = to
    }

    /// Whether every value of the old type is one of the new type. Integers become doubles only where they lose nothing: the rows are
    /// asked.
    package var isWidening: Bool {
        switch (from, to) {
        case (let from, let to) where from == to: true
        case (.int16, .int32), (.int16, .int64), (.int32, .int64): true
        case (.int16, .double), (.int32, .double), (.int64, .double): true
        case (.boolean, .int16), (.boolean, .int32), (.boolean, .int64): true
        case (.float, .double), (.url, .string): true
        default: false
        }
    }

    /// Whether a value means the same to both types as it lies in its column, and the columns are declared alike.
    package var keepsStoredForm: Bool {
        switch (from, to) {
        case (let from, let to) where from == to: true
        case (.int16, .int32), (.int16, .int64), (.int32, .int64), (.float, .double): true
        case (.boolean, let to) where to.isInteger: true
        default: from.isBytes && to.isBytes
        }
    }

    /// Whether some values may not fit though most do, so that the rows have to be looked at.
    package var mayLoseDigits: Bool { from == .int64 && to == .double }

    /// The value in its new type; nil where it has none there.
    package func converted(_ value: PropertyValue) -> PropertyValue? {
        if value.isNull { return .null }
        if value.fits(to) { return value }
        switch (value, to) {
        case (.double(let number), .int16), (.double(let number), .int32), (.double(let number), .int64):
            return Int64(exactly: number).map(PropertyValue.integer).flatMap { $0.fits(to) ? $0 : nil }
        case (.integer(let number), .double), (.integer(let number), .float): return Double(exactly: number).map(PropertyValue.double)
        case (.boolean(let flag), _) where to.isInteger: return .integer(flag ? 1 : 0)
        case (.double(let number), .decimal): return decimal(number)
        // Decimal's own reading takes the number at the beginning of any text.
        case (.string(let text), .decimal) where Double(text) == nil: return nil
        case (_, .string), (_, .url): return .string(ScalarForm(value).text)
        default: return ScalarForm(value).property(as: to)
        }
    }

    /// By the shortest text that means the number; nil where no decimal is that large, or that small.
    private func decimal(_ number: Double) -> PropertyValue? {
        let float = Float(number)
        let isFloat = from == .float && Double(float) == number
        guard number.isFinite, let decimal = Decimal(string: isFloat ? "\(float)" : "\(number)"), !decimal.isNaN else { return nil }
        // Zero has no sign there.
        let isSame = isFloat ? Float(decimal.description) == float : Double(decimal.description) == number
        return isSame ? .decimal(decimal) : nil
    }

    /// Whether `converted`, which was made of `value`, is only the nearest that the new type has: digits or fractions of a millisecond are gone.
    package func isRounded(_ value: PropertyValue, to converted: PropertyValue) -> Bool {
        switch (value, converted) {
        case (.double(let number), .double): to == .float && number.isFinite && Double(Float(number)) != number
        case (.integer(let number), .double(let double)): Int64(exactly: to == .float ? Double(Float(double)) : double) != number
        case (.double(let number), .decimal): number == 0 && number.sign == .minus
        case (.decimal(let number), .double(let double)): Decimal(string: nearest(double)) != number
        case (.string(let text), .double(let double)):
            double.isFinite ? Decimal(string: text) != Decimal(string: nearest(double)) : double.isInfinite && text.contains(where: \.isNumber)
        case (.string(let text), .decimal): text.prefix { $0 != "e" && $0 != "E" }.count { $0.isNumber } > Self.decimalDigitsMax
        case (.date(let date), .string): ScalarForm(value).property(as: .date) != value && Self.isBetweenMilliseconds(date)
        default: false
        }
    }

    /// By more than the last bits of a date in binary.
    private static func isBetweenMilliseconds(_ date: Date) -> Bool {
        let milliseconds = date.timeIntervalSince1970 * 1_000
        return abs(milliseconds - milliseconds.rounded()) > 0.001
    }

    /// What a property of the new type reads, as the shortest text that means it.
    private func nearest(_ double: Double) -> String { to == .float ? "\(Float(double))" : "\(double)" }

    private static let decimalDigitsMax = 38
}
