// Record names of imported rows (design: record names).
//
// - An entity with a UUID identity: the value is the name. The identity is an attribute of type UUID, not optional, that alone makes a
//   unique
//   constraint, or the attribute that the mapping names. It is refused where rows lack it or share it.
// - Every other row: UUIDv5 in the namespace of the store's Z_UUID over
//       length-prefixed entity name, Z_PK (8 bytes), SHA-256 of the canonical content,
//   all numbers big-endian. The content is every property that is not nil, in the order of names in the model: length-prefixed name, one
//   tag byte,
//   length-prefixed value. So one file gives one set of names wherever it is read, and two copies of a file that
//   went different ways share the names of the rows that stayed the same.

import Foundation
import SluiceDigest
import SluiceSchema

/// Names the rows of one legacy file.
struct LegacyNames {
    /// For a file whose Z_UUID is no UUID.
    private static let files = UUID(uuid: (0x5D, 0x0E, 0x83, 0x4C, 0x21, 0xB7, 0x45, 0x6A, 0x9F, 0x10, 0xC4, 0x7E, 0x38, 0xA2, 0x6B, 0xD9))

    private let namespace: UUID

    init(storeIdentifier: String) {
        namespace = UUID(uuidString: storeIdentifier) ?? UUID(namespace: Self.files, name: Data(storeIdentifier.utf8))
    }

    /// One property in a row's canonical content.
    struct Part {
        let name: String
        let tag: UInt8
        let bytes: Data
    }

    func name(entity: String, primaryKey: Int64, parts: [Part]) -> RecordName {
        var digest = Digest.Stream()
        for part in parts.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            digest.update(Self.prefixed(Data(part.name.utf8)) + [part.tag] + Self.bigEndian(UInt64(part.bytes.count)))
            digest.update(part.bytes)
        }
        let name = Self.prefixed(Data(entity.utf8)) + Self.bigEndian(UInt64(bitPattern: primaryKey)) + digest.finish()
        return .uuid(UUID(namespace: namespace, name: name))
    }

    /// Nil for a null: what is not there adds nothing.
    static func part(_ name: String, _ value: PropertyValue) -> Part? {
        let (tag, bytes): (Character, Data)
        switch value {
        case .null: return nil
        case .string(let text): (tag, bytes) = ("s", Data(text.utf8))
        case .integer(let number): (tag, bytes) = ("i", bigEndian(UInt64(bitPattern: number)))
        case .boolean(let flag): (tag, bytes) = ("b", Data([flag ? 1 : 0]))
        case .double(let number): (tag, bytes) = ("f", bigEndian(number.bitPattern))
        case .decimal(let number): (tag, bytes) = ("n", Data(number.description.utf8))
        case .date(let date): (tag, bytes) = ("d", bigEndian(date.timeIntervalSinceReferenceDate.bitPattern))
        case .data(let data): (tag, bytes) = ("x", data)
        case .uuid(let uuid): (tag, bytes) = ("u", withUnsafeBytes(of: uuid.uuid) { Data($0) })
        }
        return Part(name: name, tag: tag.asciiValue ?? 0, bytes: bytes)
    }

    static func part(_ name: String, entity: String, primaryKey: Int64) -> Part {
        Part(
            name: name, tag: Character("r").asciiValue ?? 0, bytes: prefixed(Data(entity.utf8)) + bigEndian(UInt64(bitPattern: primaryKey)))
    }

    private static func prefixed(_ data: Data) -> Data { bigEndian(UInt64(data.count)) + data }

    private static func bigEndian(_ number: UInt64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
