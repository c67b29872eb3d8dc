import Foundation
package import SluiceSchema

extension Schema {
    /// A property that holds a value.
    ///
    /// `@Model` makes one for each property that is no relationship; one made by hand describes an entity without a model class.
    public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        // `@unchecked Sendable` because subclasses are possible: the only stored property, here and in `CompositeAttribute`, is a constant
        // that is Sendable itself.
        private let parts: LockedState<Parts>

        struct Parts {
            var name: String
            var originalName: String
            var options: [Option]
            var valueType: any Any.Type
            var defaultValue: Any?
            var storedDefault: PropertyValue?
            var isOptional: Bool
            var hashModifier: String?
            var elements: [Attribute] = []
            /// Of a schema that was loaded where the Swift type is unknown.
            var loadedKind: AttributeKind?
        }

        /// What `@Attribute` says; name and type are the property's.
        public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            self.init(name: "", originalName: originalName, options: options, valueType: Any.self, hashModifier: hashModifier)
        }

        /// - Parameters:
        ///   - originalName: the name in the previous version of the schema; nil or empty where it is the same.
        ///   - valueType: the Swift type of the values; an optional type makes the attribute optional.
        ///   - defaultValue: what rows get that say nothing.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type, defaultValue: Any? = nil,
            hashModifier: String? = nil
        ) {
            let kind = AttributeKind(of: valueType, options: options)
            parts = LockedState(
                Parts(
                    name: name, originalName: originalName ?? "", options: options, valueType: valueType, defaultValue: defaultValue,
                    storedDefault: defaultValue.flatMap { PropertyValue(constant: $0, as: kind) },
                    isOptional: valueType is any OptionalType.Type, hashModifier: hashModifier))
        }

        init(_ parts: Parts) { self.parts = LockedState(parts) }

        public required init(from decoder: any Decoder) throws { parts = LockedState(try AttributeCoding.parts(from: decoder)) }

        public func encode(to encoder: any Encoder) throws { try AttributeCoding.encode(self, to: encoder) }

        final subscript<Value>(_ path: WritableKeyPath<Parts, Value>) -> Value {
            get { parts[path] }
            set { parts[path] = newValue }
        }

        public var name: String {
            get { parts[\.name] }
            set { parts[\.name] = newValue }
        }

        public var originalName: String {
            get { parts[\.originalName].isEmpty ? name : parts[\.originalName] }
            set { parts[\.originalName] = newValue }
        }

        /// Empty where none was declared.
        var declaredOriginalName: String { parts[\.originalName] }

        /// What the declaration asks for.
        public var options: [Option] {
            get { parts[\.options] }
            set { parts[\.options] = newValue }
        }

        public var valueType: any Any.Type {
            get { parts[\.valueType] }
            set {
                parts[\.valueType] = newValue
                parts[\.isOptional] = newValue is any OptionalType.Type
                parts[\.loadedKind] = nil
            }
        }

        /// The value of the initialiser expression; nil where there is none.
        public var defaultValue: Any? {
            get { parts[\.defaultValue] }
            set {
                parts[\.defaultValue] = newValue
                parts[\.storedDefault] = newValue.flatMap { PropertyValue(constant: $0, as: kind) }
            }
        }

        public var isOptional: Bool {
            get { parts[\.isOptional] }
            set { parts[\.isOptional] = newValue }
        }

        /// Changes the checksum of the schema without changing its shape.
        public var hashModifier: String? {
            get { parts[\.hashModifier] }
            set { parts[\.hashModifier] = newValue }
        }

        public var isUnique: Bool { options.contains(.unique) }
        /// Whether a transformer stands between the value and its column.
        public var isTransformable: Bool { options.contains { $0.transformerName != nil } }
        /// Whether the value is stored in its coded form, whatever its type.
        public var isCodable: Bool { options.contains(.codable) }
        /// Ephemeral attributes are in the schema and not in the store.
        package var isEphemeral: Bool { options.contains(.ephemeral) }

        package var kind: AttributeKind { parts[\.loadedKind] ?? AttributeKind(of: valueType, options: options) }

        /// The default as the store keeps it; nil where there is none, or where it is made anew for each row, as `UUID()` is.
        package var storedDefault: PropertyValue? { parts[\.storedDefault] }

        public static func == (left: Attribute, right: Attribute) -> Bool {
            left === right
                || (left.name == right.name && left.originalName == right.originalName && left.options == right.options
                    && left.valueType == right.valueType && left.isOptional == right.isOptional && left.hashModifier == right.hashModifier
                    && left.storedDefault == right.storedDefault && left[\.elements] == right[\.elements])
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String {
            "Schema.Attribute(\(name): \(valueType)\(options.isEmpty ? "" : ", options: \(options)"))"
        }
    }

    /// An attribute whose value has members of its own. The store keeps it as one value; the members are described for those who ask.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        /// The parts of a value that has some.
        public var properties: [Attribute] {
            get { self[\.elements] }
            set { self[\.elements] = newValue }
        }
    }
}
