// How a value looks to a person, a script or a JSON parser, and back:
//
//     string, url        the text                        data, codable, transformable   base64
//     int16/32/64        a number                        uuid                           upper case
//     boolean            true, false                     decimal                        its text
//     float, double      a number; nan, inf, -inf        date                           2026-11-30T12:00:00.000Z, UTC, milliseconds
//     (read: nan:<bits in hexadecimal> too)
//
// A date's text is rounded to milliseconds, as on the wire; everything else keeps every bit (but for the payload of a NaN). A date that
// no calendar shows is the text `2001+<seconds>`.

import FoundationEssentials

/// A property value as JSON or a command line can say it: without its type.
public enum ScalarForm: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)

    public init(_ value: PropertyValue) {
        switch value {
        case .null: self = .null
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .boolean(let flag): self = .boolean(flag)
        case .double(let number): self = number.isFinite ? .double(number) : .string(Self.text(ofSpecial: number))
        case .decimal(let number): self = .string(number.description)
        case .date(let date): self = .string(Self.text(of: date))
        case .data(let bytes): self = .string(bytes.base64EncodedString())
        case .uuid(let uuid): self = .string(uuid.uuidString)
        }
    }

    /// What a terminal shows. Empty for null.
    public var text: String {
        switch self {
        case .null: ""
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        }
    }

    /// The value of an attribute of `type`; nil where this is no such value.
    public func property(as type: AttributeType) -> PropertyValue? {
        let value: PropertyValue? =
            switch (type, self) {
            case (_, .null): .null
            case (.string, .string(let text)), (.url, .string(let text)): .string(text)
            case (.int16, _), (.int32, _), (.int64, _): integer.map(PropertyValue.integer)
            case (.boolean, .boolean(let flag)): .boolean(flag)
            case (.boolean, .string("true")): .boolean(true)
            case (.boolean, .string("false")): .boolean(false)
            case (.boolean, .integer(let number)) where number == 0 || number == 1: .boolean(number == 1)
            case (.float, _), (.double, _): double.map(PropertyValue.double)
            case (.decimal, .string(let text)): Decimal(string: text).map(PropertyValue.decimal)
            case (.decimal, .integer(let number)): .decimal(Decimal(number))
            case (.date, .string(let text)): Self.date(text).map(PropertyValue.date)
            case (.uuid, .string(let text)): UUID(uuidString: text).map(PropertyValue.uuid)
            case (.data, .string(let text)), (.codable, .string(let text)), (.transformable, .string(let text)):
                Data(base64Encoded: text).map(PropertyValue.data)
            default: nil
            }
        return value.flatMap { $0.fits(type) ? $0 : nil }
    }

    private var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .string(let text): Int64(text)
        default: nil
        }
    }

    private var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .string("nan"): .nan
        case .string(let text) where text.hasPrefix(Self.nanPrefix): Self.nan(text)
        case .string(let text): Double(text)
        default: nil
        }
    }

    /// Before the bits of a NaN that is not the usual one, as in a store's column.
    package static let nanPrefix = "nan:"

    /// Nil for bits that are no NaN's.
    private static func nan(_ text: String) -> Double? {
        UInt64(text.dropFirst(nanPrefix.count), radix: 16).map(Double.init(bitPattern:)).flatMap { $0.isNaN ? $0 : nil }
    }

    private static func text(ofSpecial number: Double) -> String { number.isNaN ? "nan" : number < 0 ? "-inf" : "inf" }

    private static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Seconds around 1970 that a calendar date can show: some six thousand years.
    private static let calendarSeconds = 2e11

    private static func text(of date: Date) -> String {
        guard abs(date.timeIntervalSince1970) <= calendarSeconds else { return "2001+\(date.timeIntervalSinceReferenceDate)" }
        // The style cuts; half a millisecond makes it round.
        return dateStyle.format(Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000 + 0.000_1))
    }

    /// The date of a text in one of the forms above; nil for any other text.
    static func date(_ text: String) -> Date? {
        if text.hasPrefix("2001+") { return Double(text.dropFirst(5)).map(Date.init(timeIntervalSinceReferenceDate:)) }
        for style in [dateStyle, Date.ISO8601FormatStyle()] {
            // Each style reads one form only and throws for the other.
            if let date = try? style.parse(text) { return Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000) }
        }
        return nil
    }
}

extension ScalarForm: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { self = .null }
        else if let flag = try? container.decode(Bool.self) { self = .boolean(flag) }
        else if let number = try? container.decode(Int64.self) { self = .integer(number) }
        else if let number = try? container.decode(Double.self) { self = .double(number) }
        else { self = .string(try container.decode(String.self)) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}
