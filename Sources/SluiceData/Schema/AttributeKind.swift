import Foundation
package import SluiceSchema

/// How the values of an attribute lie in the store.
package enum AttributeKind: Hashable, Sendable {
    /// A type that the store knows.
    case scalar(AttributeType)
    /// A type with a raw value of such a type: the raw value is stored.
    case raw(AttributeType)
    /// Any other codable value: canonical JSON (Docs/Decisions/0013-codable-values-are-json.md).
    case codable
    /// The bytes that the named value transformer makes.
    case transformable(String)
    /// A type that cannot be stored. The schema says so when a store is asked for.
    case unsupported

    /// The column's type; nil where there is no column.
    package var type: AttributeType? {
        switch self {
        case .scalar(let type), .raw(let type): type
        case .codable: .codable
        case .transformable: .transformable
        case .unsupported: nil
        }
    }

    /// - Parameter valueType: the property's type as it is declared; one `Optional` around it makes no difference.
    package init(of valueType: any Any.Type, options: [Schema.Attribute.Option] = []) {
        let type = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
        if let name = options.lazy.compactMap(\.transformerName).first {
            self = .transformable(name)
        } else if options.contains(.codable) {
            self = .codable
        } else if let scalar = Self.scalars[ObjectIdentifier(type)] {
            self = .scalar(scalar)
        } else if let scalar = (type as? any RawRepresentable.Type).flatMap({ Self.rawScalar($0) }) {
            self = .raw(scalar)
        } else if type is any (Decodable & Encodable).Type {
            self = .codable
        } else {
            self = .unsupported
        }
    }

    /// A type without an initialiser for every bit pattern of its column is stored in the next wider one.
    private static let scalars: [ObjectIdentifier: AttributeType] = {
        let types: [(any Any.Type, AttributeType)] = [
            (String.self, .string), (Int.self, .int64), (Int64.self, .int64), (Int32.self, .int32), (Int16.self, .int16),
            (Int8.self, .int16), (UInt8.self, .int16), (UInt16.self, .int32), (UInt32.self, .int64), (UInt.self, .int64),
            (UInt64.self, .int64), (Bool.self, .boolean), (Float.self, .float), (Double.self, .double), (CGFloat.self, .double),
            (Decimal.self, .decimal), (Date.self, .date), (Data.self, .data), (UUID.self, .uuid), (URL.self, .url),
        ]
        return Dictionary(uniqueKeysWithValues: types.map { (ObjectIdentifier($0.0), $0.1) })
    }()

    private static func rawScalar<Value: RawRepresentable>(_ type: Value.Type) -> AttributeType? {
        scalars[ObjectIdentifier(Value.RawValue.self)]
    }
}
