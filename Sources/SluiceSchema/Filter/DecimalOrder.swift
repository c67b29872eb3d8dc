// Decimals lie in the store as text, which has no order of theirs. The key has: bytes that compare as the numbers do.

package import FoundationEssentials
package import SluiceSQLite

extension Decimal {
    /// What a column of decimals holds; nil where it holds anything else.
    package init?(stored value: SQLiteValue) {
        switch value {
        case .text("NaN"): self = .nan
        case .text(let text):
            guard let number = Decimal(string: text) else { return nil }
            self = number
        case .integer(let number): self = Decimal(number)
        default: return nil
        }
    }

    /// Bytes in the order of the numbers; equal for equal numbers. NaN comes before everything, as in Foundation.
    package var orderKey: Data {
        if isNaN { return Data([0]) }
        if isZero { return Data([2]) }
        let (digits, exponent) = Self.digits(of: magnitude)
        // The place of the first digit, then the digits: a greater first place is a greater number.
        let place = UInt16(clamping: exponent + digits.count + 0x4000)
        let key = [UInt8(place >> 8), UInt8(truncatingIfNeeded: place)] + digits.map { $0 + 1 } + [0]
        return self < 0 ? Data([1] + key.map { ~$0 }) : Data([3] + key)
    }

    /// The significant digits of a positive number without zeros at the end, and the power of ten of the last one.
    private static func digits(of number: Decimal) -> (digits: [UInt8], exponent: Int) {
        var digits = number.significand.description.utf8.map { $0 - 0x30 }
        var exponent = number.exponent
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        return (digits, exponent)
    }
}
