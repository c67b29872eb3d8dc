// Codable values that no column type fits lie in one column as canonical JSON (decision 0013). A nil is no value at all, so that SQL sees NULL.

import Foundation

/// Codable values as the bytes of a column.
enum CodableColumn {
    private static let null = Data("null".utf8)

    /// nil for a value that is nil.
    static func bytes<Value: Encodable>(of value: Value) throws -> Data? {
        let bytes = try CanonicalJSON.encode(value)
        return bytes == null ? nil : bytes
    }

    /// nil where the bytes are of no such value. No bytes at all are a value where `Value` is optional.
    static func value<Value: Decodable>(of type: Value.Type, in bytes: Data?) -> Value? {
        // Bytes of another type are an everyday case here: the type of the property has changed since they were written.
        try? CanonicalJSON.decode(type, from: bytes ?? null)
    }
}
