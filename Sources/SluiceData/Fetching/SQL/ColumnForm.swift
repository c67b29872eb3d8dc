import Foundation
import SluiceSchema
import SluiceSQLite

/// How the values of one type lie in a column, and how SQL compares them there.
struct ColumnForm {
    /// How equality of values shows in the column.
    enum Comparison: Hashable {
        /// The NFC forms are the same bytes.
        case text
        case boolean
        case integer
        /// 64 bits without a sign: equal as they stand, ordered otherwise.
        case unsigned
        /// A NaN stands as text.
        case real
        case bytes
        case address
        case decimal
        /// Only the type itself can say.
        case opaque
    }

    /// What the type is without `Optional`.
    let type: any Any.Type
    let comparison: Comparison
    /// Whether SQL's order of the column is the type's own `<`.
    let isOrdered: Bool
    /// nil for a NULL and for what is no value of the type.
    let decode: (SQLiteValue) -> Any?
    /// nil for a value that has no stored form. The value is none of an optional.
    let encode: (Any) -> SQLiteValue?

    /// Whether it holds Swift's own `String` as text.
    var isText: Bool { comparison == .text && type == String.self }

    /// The form of a type by itself; nil for one that cannot be stored. One `Optional` around it makes no difference.
    init?(of type: any Any.Type) {
        let type = (type as? any OptionalType.Type)?.wrappedType ?? type
        if let scalar = type as? any ColumnScalar.Type {
            self.init(scalar: scalar)
        } else if let raw = type as? any RawRepresentable.Type, let form = Self.raw(raw, default: { nil }) {
            self = form
        } else if let codable = type as? any (Decodable & Encodable).Type {
            self.init(codable: codable, default: { nil })
        } else {
            return nil
        }
    }

    /// The form of a property's column.
    init?(_ property: ModelProperty, of binding: EntityBinding) {
        let type = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
        func substitute() -> Any? { property.isOptional ? nil : property.makeDefaultValue() }
        switch property.attributeKind {
        case .scalar?:
            guard let scalar = type as? any ColumnScalar.Type else { return nil }
            self.init(scalar: scalar)
        case .raw?:
            guard let raw = type as? any RawRepresentable.Type, let form = Self.raw(raw, default: substitute) else { return nil }
            self = form
        case .codable?:
            guard let codable = type as? any (Decodable & Encodable).Type else { return nil }
            self.init(codable: codable, default: substitute)
        case .transformable?:
            guard let transformation = binding.transformation(at: property.index) else { return nil }
            func decoding<Value>(_ type: Value.Type) -> (SQLiteValue) -> Any? {
                { value in transformation.value(of: Value.self, in: value.blob) ?? substitute() }
            }
            self.init(
                type: type, comparison: .opaque, isOrdered: false, decode: _openExistential(type, do: decoding),
                encode: { value in (try? transformation.bytes(of: value)).flatMap { $0 }.map(SQLiteValue.blob) })
        case .unsupported?, nil: return nil
        }
    }

    private init(
        type: any Any.Type, comparison: Comparison, isOrdered: Bool, decode: @escaping (SQLiteValue) -> Any?,
        encode: @escaping (Any) -> SQLiteValue?
    ) {
        self.type = type
        self.comparison = comparison
        self.isOrdered = isOrdered
        self.decode = decode
        self.encode = encode
    }

    private init<Value: ColumnScalar>(scalar type: Value.Type) {
        self.init(
            type: type, comparison: Value.comparison, isOrdered: Value.isOrdered, decode: { Value(stored: $0) }, encode: { ($0 as? Value)?.stored })
    }

    /// An enum, or anything else that is its raw value. Equality is that of raw values; its order is the type's own business.
    private static func raw<Value: RawRepresentable>(_ type: Value.Type, default substitute: @escaping () -> Any?) -> ColumnForm? {
        guard let scalar = Value.RawValue.self as? any ColumnScalar.Type else { return nil }
        let raw = ColumnForm(scalar: scalar)
        return ColumnForm(
            type: type, comparison: raw.comparison, isOrdered: false,
            decode: { value in
                guard let raw = raw.decode(value) as? Value.RawValue else { return nil }
                return Value(rawValue: raw) ?? substitute()
            },
            encode: { ($0 as? Value).flatMap { raw.encode($0.rawValue) } })
    }

    private init<Value: Decodable & Encodable>(codable type: Value.Type, default substitute: @escaping () -> Any?) {
        self.init(
            type: type, comparison: .opaque, isOrdered: false,
            decode: { value in value.isNull ? nil : CodableColumn.value(of: Value.self, in: value.blob) ?? substitute() },
            // A value that its own coder refuses has no stored form.
            encode: { value in (value as? Value).flatMap { (try? CodableColumn.bytes(of: $0)).flatMap { $0 } }.map(SQLiteValue.blob) })
    }
}
