// Property values as field values and back (Docs/Protocol.md, mapping table).
//
// NaN, ±∞ and dates that do not fit milliseconds in 64 bits have no form of their own in the dialect: they travel as text in a companion
// field `sluice_value_<field>` while the field itself is null, so that one of them never poisons a batch. Its texts: `nan`,
// `nan:<bits in hex>`, `inf`, `-inf`, and for dates `seconds:<bits in hex>` of the double since 2001.

import Foundation
import SluiceRecords
import SluiceSchema

/// The wire form of one attribute value: what its field and its companion say.
struct WireValue: Hashable {
    var value: FieldValue?
    var companion: String?

    /// A value that is in the store and cannot be read. No field ever reads so.
    static let unreadable = WireValue(companion: "unreadable")

    private static let companionPrefix = "sluice_value_"

    static func companionName(of field: String) -> String { companionPrefix + field }
    static func isCompanionName(_ name: String) -> Bool { name.utf8.starts(with: companionPrefix.utf8) }

    /// Whether attributes of this type ever use the companion.
    static func mayNeedCompanion(_ type: AttributeType) -> Bool { type == .double || type == .float || type == .date }

    init(value: FieldValue? = nil, companion: String? = nil) {
        self.value = value
        self.companion = companion
    }

    init(_ property: PropertyValue) {
        switch property {
        case .null: self.init()
        case .string(let text): self.init(value: .string(text))
        case .integer(let number): self.init(value: .int64(number))
        case .boolean(let flag): self.init(value: .int64(flag ? 1 : 0))
        case .double(let number): self = number.isFinite ? WireValue(value: .double(number)) : WireValue(companion: Self.text(of: number))
        case .decimal(let number): self.init(value: .string(number.description))
        case .date(let date): self.init(date)
        case .data(let bytes): self.init(value: .bytes(bytes))
        case .uuid(let uuid): self.init(value: .string(uuid.uuidString))
        }
    }

    /// Rounded to milliseconds, not cut: cutting turns one date in nine into its neighbour after a round trip.
    private init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        // Beyond 2^53 neighbouring doubles are more than a millisecond apart.
        if milliseconds.isFinite, abs(milliseconds) <= 9_007_199_254_740_992 {
            self.init(value: .timestamp(Int64(milliseconds)))
        } else {
            self.init(companion: "seconds:" + String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16))
        }
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return number.bitPattern == Double.nan.bitPattern ? "nan" : "nan:" + String(number.bitPattern, radix: 16) }
        return number < 0 ? "-inf" : "inf"
    }

    /// The property's value; nil where the field holds something else than the attribute's type.
    func property(as type: AttributeType) -> PropertyValue? {
        if let companion { return Self.property(companion: companion, as: type) }
        guard let value else { return .null }
        switch (type, value) {
        case (.string, .string(let text)), (.url, .string(let text)): return .string(text)
        case (.int16, .int64(let number)), (.int32, .int64(let number)), (.int64, .int64(let number)):
            let property = PropertyValue.integer(number)
            return property.fits(type) ? property : nil
        case (.boolean, .int64(let number)): return .boolean(number != 0)
        case (.double, .double(let number)), (.float, .double(let number)): return .double(number)
        case (.double, .int64(let number)), (.float, .int64(let number)): return .double(Double(number))
        case (.decimal, .string(let text)): return Decimal(string: text).map(PropertyValue.decimal)
        case (.date, .timestamp(let milliseconds)): return .date(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
        case (.uuid, .string(let text)): return UUID(uuidString: text).map(PropertyValue.uuid)
        case (.data, .bytes(let bytes)), (.codable, .bytes(let bytes)), (.transformable, .bytes(let bytes)): return .data(bytes)
        default: return nil
        }
    }

    private static func property(companion: String, as type: AttributeType) -> PropertyValue? {
        func bits(after prefix: String) -> Double? {
            guard companion.hasPrefix(prefix) else { return nil }
            return UInt64(companion.dropFirst(prefix.count), radix: 16).map(Double.init(bitPattern:))
        }
        switch (type, companion) {
        case (.double, "nan"), (.float, "nan"): return .double(.nan)
        case (.double, "inf"), (.float, "inf"): return .double(.infinity)
        case (.double, "-inf"), (.float, "-inf"): return .double(-.infinity)
        case (.double, _), (.float, _): return bits(after: "nan:").map(PropertyValue.double)
        case (.date, _): return bits(after: "seconds:").map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: return nil
        }
    }
}
