package import Foundation

/// The stored form of a codable value: JSON with sorted keys, so that equal values have equal bytes, and SQLite's JSON functions read it.
///
/// Not a number and the infinities are the texts `nan`, `inf` and `-inf`. A `Set`, and a dictionary whose keys are no strings, are written
/// in an order that differs from process to process: compare such values, not their bytes.
package enum CanonicalJSON {
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable) throws -> Data { try encoder().encode(value) }

    /// - Throws: `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value {
        try decoder().decode(type, from: bytes)
    }

    /// Whether the value has the same bytes in every process: it holds no set and no dictionary whose keys are no strings or integers.
    package static func isCanonical(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .set where mirror.children.count > 1: return false
        case .dictionary where mirror.children.count > 1 && !(value is [String: Any] || value is [Int: Any]): return false
        default: return mirror.children.allSatisfy { isCanonical($0.value) }
        }
    }

    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
