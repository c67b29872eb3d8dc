// Single values of model properties in their stored form and back, for who has a property's type and no row: a merge. Rows go the fast way, through
// RowReader and RowWriter.

package import SluiceSchema
import Foundation

/// Conversions between a property's value and what a column holds.
package enum ModelValue {
    /// - Returns: nil where the value has no stored form of that kind.
    package static func encode(_ value: Any, as kind: AttributeKind) -> PropertyValue? {
        if let optional = value as? any OptionalType {
            guard let wrapped = optional.wrapped else { return .null }
            return encode(wrapped, as: kind)
        }
        guard case .codable = kind else { return PropertyValue(default: value, as: kind) }
        guard let value = value as? any Encodable else { return nil }
        do { return .data(try CanonicalJSON.encode(value)) } catch { return nil }
    }

    /// - Returns: nil where the stored form is no value of that type.
    package static func decode<Value>(_ property: PropertyValue, as type: Value.Type) -> Value? {
        if let optional = type as? any OptionalType.Type {
            func wrapped<Wrapped>(_ type: Wrapped.Type) -> Any? { decode(property, as: type) }
            if case .null = property { return optional.noValue as? Value }
            return wrapped(optional.wrappedType) as? Value
        }
        if let scalar = scalar(property, as: type) { return scalar }
        if let raw = type as? any RawRepresentable.Type {
            func represented<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? { decode(property, as: Raw.RawValue.self).flatMap(Raw.init(rawValue:)) }
            if let value = represented(raw) as? Value { return value }
        }
        guard case .data(let bytes) = property, let decodable = type as? any Decodable.Type else { return nil }
        do { return try CanonicalJSON.decode(decodable, from: bytes) as? Value } catch { return nil }
    }

    private static func scalar<Value>(_ property: PropertyValue, as type: Value.Type) -> Value? {
        switch property {
        case .null: nil
        case .string(let text): text as? Value ?? (type == URL.self ? URL(string: text) as? Value : nil)
        case .integer(let number): integer(number, as: type)
        case .boolean(let flag): flag as? Value
        case .double(let number): number as? Value ?? Float(number) as? Value ?? CGFloat(number) as? Value
        case .decimal(let number): number as? Value
        case .date(let date): date as? Value
        case .data(let bytes): bytes as? Value
        case .uuid(let uuid): uuid as? Value
        }
    }

    private static func integer<Value>(_ number: Int64, as type: Value.Type) -> Value? {
        // A 64-bit unsigned number is stored by its bits.
        if type == UInt64.self { return UInt64(bitPattern: number) as? Value }
        if type == UInt.self { return UInt(UInt64(bitPattern: number)) as? Value }
        guard let integer = type as? any FixedWidthInteger.Type else { return nil }
        func exact<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? { Integer(exactly: number) }
        return exact(integer) as? Value
    }
}
