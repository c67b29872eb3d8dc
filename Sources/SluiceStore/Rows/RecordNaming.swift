// Which name a new row gets (design: record names):
// - an identity of one UUID attribute is the name;
// - a natural key gives UUIDv5 in the zone's namespace over the entity's first-version name and the key, each part prefixed by its length, text in
//   NFC, so that two devices that make the same thing make one record;
// - everything else gets a UUIDv7, whose time order keeps the index on names cheap to write.

package import Foundation
package import SluiceSchema
import SluiceDigest
import SluiceSQLite

/// Makes record names for one zone. Owned by a store and used on its executor.
package struct RecordNaming {
    /// Namespace of all zones; the v5 name of a zone in it is the namespace of that zone's records.
    private static let zones = UUID(uuid: (0x9B, 0x1C, 0x6F, 0x0A, 0x52, 0x7E, 0x4D, 0x31, 0x8E, 0x44, 0x2A, 0x90, 0x5D, 0xC7, 0x13, 0xE8))

    private let namespace: UUID
    private let now: @Sendable () -> Date
    private var random: RandomSource
    private var lastMilliseconds: UInt64 = 0
    private var counter: UInt16 = 0
    private var tail: UInt64 = 0

    package init(zone: String, now: @escaping @Sendable () -> Date, random: RandomSource) {
        namespace = UUID(namespace: Self.zones, name: Data(zone.utf8))
        self.now = now
        self.random = random
    }

    /// A fresh name. Names made by one store grow, even within a millisecond and when the clock steps back.
    ///
    /// Within a millisecond the random half counts on from the first name's (RFC 9562, 6.2, method 2): asking the system for each of 100,000
    /// names costs as much as their index.
    package mutating func fresh() -> RecordName {
        let milliseconds = UInt64(max(0, now().timeIntervalSince1970 * 1_000))
        if milliseconds > lastMilliseconds {
            lastMilliseconds = milliseconds
            counter = UInt16.random(in: 0..<0x0800, using: &random)
            tail = UInt64.random(in: .min ... .max, using: &random)
        } else if counter < 0x0FFF {
            counter += 1
            tail &+= 0x9E37_79B9_7F4A_7C15
        } else {
            lastMilliseconds += 1
            counter = 0
            tail = UInt64.random(in: .min ... .max, using: &random)
        }
        let head = lastMilliseconds << 16 | 0x7000 | UInt64(counter)
        let bytes = (head.bigEndian, (tail & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000).bigEndian)
        return .uuid(withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    }

    /// The name that follows from identity values; nil where the entity declares no identity.
    package func name(of entity: StoredEntity, in table: TableLayout, values: [Int: PropertyValue]) throws(StoreError) -> RecordName? {
        guard !entity.identity.isEmpty else { return nil }
        let parts = entity.identity.map { values[$0] ?? .null }
        for (column, part) in zip(entity.identity, parts) where part.isNull {
            throw .missingValue(property: table.columns[column].name, entity: entity.name)
        }
        if parts.count == 1, case .uuid(let uuid) = parts[0] { return .uuid(uuid) }
        return naturalName(of: entity.wireName, key: parts)
    }

    private func naturalName(of type: String, key: [PropertyValue]) -> RecordName {
        var bytes = Data()
        func append(_ part: Data) {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(part)
        }
        append(Data(type.utf8))
        for part in key {
            switch part.stored {
            case .text(let text): append(Data(CanonicalText.nfc(text).utf8))
            case .integer(let number): append(Data("\(number)".utf8))
            case .real(let number): append(Data("\(number.bitPattern)".utf8))
            case .blob(let data): append(data)
            case .null: append(Data())
            }
        }
        return .uuid(UUID(namespace: namespace, name: bytes))
    }

    /// The name of a pair in a many-to-many relationship: the same on every device that relates the same two.
    package func pairName(type: String, source: RecordName, target: RecordName) -> RecordName {
        naturalName(of: type, key: [.string(source.text), .string(target.text)])
    }
}
