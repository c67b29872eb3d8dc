public import FoundationEssentials

/// The value of one attribute of one row.
///
/// Equality is bitwise for numbers, so that a NaN equals itself and −0 differs from 0: two values are equal when nothing is lost by
/// writing one for the other. Text compares by its bytes; canonical equivalence is the business of predicates and uniqueness.
public enum PropertyValue: Sendable {
    case null
    /// The text of a `string` or `url`, verbatim.
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    /// A `double` or `float`.
    case double(Double)
    case decimal(Decimal)
    case date(Date)
    /// The bytes of `data`, `codable` or `transformable`.
    case data(Data)
    case uuid(UUID)

    public var isNull: Bool { if case .null = self { true } else { false } }
}

extension PropertyValue: Hashable {
    public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.decimal(let left), .decimal(let right)): left == right
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.bitPattern == right.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .integer(let value): hasher.combine(value)
        case .boolean(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        }
    }
}

extension PropertyValue {
    /// Whether this value may stand in a column of `type`. Null may always.
    public func fits(_ type: AttributeType) -> Bool {
        switch self {
        case .null: true
        case .string: type.isText
        case .integer(let value):
            switch type {
            case .int16: Int16(exactly: value) != nil
            case .int32: Int32(exactly: value) != nil
            default: type == .int64
            }
        case .boolean: type == .boolean
        case .double: type == .double || type == .float
        case .decimal: type == .decimal
        case .date: type == .date
        case .data: type.isBytes
        case .uuid: type == .uuid
        }
    }

    /// What a row of a newer device that lacks a required attribute holds here until it says otherwise.
    public static func zero(of type: AttributeType) -> PropertyValue {
        switch type {
        case .string, .url: .string("")
        case .int16, .int32, .int64: .integer(0)
        case .boolean: .boolean(false)
        case .float, .double: .double(0)
        case .decimal: .decimal(0)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .data, .codable, .transformable: .data(Data())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        }
    }
}

// Numbers and dates are encoded by their bits, so that the schema's canonical form keeps NaN, infinities and −0.
extension PropertyValue: Codable {
    private enum Key: String, CodingKey { case string, integer, boolean, double, decimal, date, data, uuid, null }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "one typed value expected"))
        }
        switch key {
        case .null: self = .null
        case .string: self = .string(try container.decode(String.self, forKey: key))
        case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
        case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
        case .double: self = .double(Double(bitPattern: try container.decode(UInt64.self, forKey: key)))
        case .date:
            let bits = try container.decode(UInt64.self, forKey: key)
            self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case .data: self = .data(try container.decode(Data.self, forKey: key))
        case .uuid: self = .uuid(try container.decode(UUID.self, forKey: key))
        case .decimal:
            let text = try container.decode(String.self, forKey: key)
            guard let value = Decimal(string: text) else {
                throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no decimal number: \(text)")
            }
            self = .decimal(value)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .null: try container.encodeNil(forKey: .null)
        case .string(let value): try container.encode(value, forKey: .string)
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .boolean(let value): try container.encode(value, forKey: .boolean)
        case .double(let value): try container.encode(value.bitPattern, forKey: .double)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .date(let value): try container.encode(value.timeIntervalSinceReferenceDate.bitPattern, forKey: .date)
        case .data(let value): try container.encode(value, forKey: .data)
        case .uuid(let value): try container.encode(value, forKey: .uuid)
        }
    }
}
