import Foundation
package import SluiceSchema

extension PropertyValue {
    /// A default value as the store keeps it. An integer literal stands for a floating-point default too, as it does in Swift.
    /// - Returns: nil where the value is no constant of that kind: the store then has no default.
    package init?(constant value: Any, as kind: AttributeKind) {
        self.init(default: value, as: kind)
        if case .date(let date) = self, Self.fixed(date) == nil, !(value is PropertyValue) { return nil }
    }

    /// A default as it was worked out, in its stored form; nil where it has none.
    package init?(default value: Any, as kind: AttributeKind) {
        var value = value
        if let optional = value as? any OptionalType {
            guard let wrapped = optional.wrapped else { return nil }
            value = wrapped
        }
        // A default in a schema that was loaded.
        if let stored = value as? PropertyValue {
            guard let type = kind.type, stored.fits(type) else { return nil }
            self = stored
            return
        }
        switch kind {
        case .scalar(let type): self.init(scalar: value, type)
        case .raw(let type):
            guard let raw = value as? any RawRepresentable else { return nil }
            self.init(scalar: raw.rawValue, type)
        case .codable:
            // A value that cannot be encoded has no stored form: rows that need one have none, and migration says so by name.
            guard let value = value as? any Encodable, CanonicalJSON.isCanonical(value), let bytes = try? CanonicalJSON.encode(value) else {
                return nil
            }
            self = .data(bytes)
        case .transformable, .unsupported: return nil
        }
    }

    private init?(scalar value: Any, _ type: AttributeType) {
        let found: PropertyValue? =
            switch type {
            case .string: (value as? String).map(PropertyValue.string)
            case .int16, .int32, .int64: (value as? any BinaryInteger).flatMap { Self.column($0) }.map(PropertyValue.integer)
            case .boolean: (value as? Bool).map(PropertyValue.boolean)
            case .float, .double: Self.number(value).map(PropertyValue.double)
            case .decimal: (value as? Decimal ?? (value as? Int).map { Decimal($0) }).map(PropertyValue.decimal)
            case .date: (value as? Date).map(PropertyValue.date)
            case .data: (value as? Data).map(PropertyValue.data)
            case .uuid: (value as? UUID).map(PropertyValue.uuid)
            case .url: (value as? URL).map { .string($0.absoluteString) }
            case .codable, .transformable: nil
            }
        guard let found, found.fits(type) else { return nil }
        self = found
    }

    /// A 64-bit unsigned number is stored by its bits.
    private static func column(_ value: some BinaryInteger) -> Int64? {
        Int64(exactly: value) ?? UInt64(exactly: value).map(Int64.init(bitPattern:))
    }

    /// Dates are as a rule reckoned from the present, some of them rounded, so that evaluating twice does not tell. Frozen, they would make
    /// another schema each day.
    private static func fixed(_ date: Date) -> Date? { date == .distantPast || date == .distantFuture ? date : nil }

    private static func number(_ value: Any) -> Double? {
        switch value {
        case let value as Double: value
        case let value as Float: Double(value)
        case let value as CGFloat: Double(value)
        case let value as any BinaryInteger: Double(value)
        default: nil
        }
    }
}
