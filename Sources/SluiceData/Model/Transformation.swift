import Foundation

/// Turns the values of a `.transformable` property into bytes and back, by the transformer that the property names.
struct Transformation {
    private let property: String
    private let transformer: String

    /// nil for a property that is not transformable.
    init?(_ property: ModelProperty) {
        guard case .transformable(let name)? = property.attributeKind else { return nil }
        self.property = property.name
        transformer = name
    }

    /// - Throws: `SwiftDataError.modelValidationFailure` where no transformer of that name is registered or it gives no bytes.
    func bytes<Value>(of value: Value) throws -> Data? {
        guard let unwrapped = Self.unwrapped(value) else { return nil }
        guard let transformer = registered else { throw missing() }
        guard let bytes = transformer.storedBytes(of: unwrapped) else {
            throw SwiftDataError.modelValidationFailure.because(
                "the transformer \(self.transformer) of \(property) gave no Data for a value: make it return Data")
        }
        return bytes
    }

    /// nil where the bytes are of no such value. No bytes at all are a value where `Value` is optional.
    func value<Value>(of type: Value.Type, in bytes: Data?) -> Value? {
        guard let bytes else { return Optional<Any>.none as? Value }
        return registered?.value(ofStored: bytes) as? Value
    }

    private var registered: ValueTransformer? { ValueTransformer.valueTransformer(forName: NSValueTransformerName(transformer)) }

    /// The value inside optionals; nil where there is none.
    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }

    private func missing() -> SwiftDataError {
        .modelValidationFailure.because(
            "there is no transformer \(transformer) for \(property): register it with ValueTransformer.setValueTransformer before saving")
    }
}
