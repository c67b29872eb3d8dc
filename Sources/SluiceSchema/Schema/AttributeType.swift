/// The scalar types that SwiftData stores. An enum with a raw value is stored as that value; a codable value as `codable` bytes.
public enum AttributeType: String, Hashable, Sendable, Codable, CaseIterable {
    case string
    case int16
    case int32
    case int64
    case boolean
    case float
    case double
    case decimal
    case date
    case data
    case uuid
    case url
    /// Bytes of an encoded value that only its program understands.
    case codable
    /// Bytes that a value transformer made; from Core Data files.
    case transformable

    public var isInteger: Bool { self == .int16 || self == .int32 || self == .int64 }
    public var isText: Bool { self == .string || self == .url }
    public var isBytes: Bool { self == .data || self == .codable || self == .transformable }
}
