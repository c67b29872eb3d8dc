// The bytes of the reserved field `sluice_meta`: when each field was last edited, and by which operation of each device.
//
//     byte      version, 1
//     varint    number of devices (at most 16, the highest operation numbers are kept)
//       8 bytes device, big endian; varint operation number
//     varint    number of groups of fields with one stamp
//       varint  stamp, milliseconds since 1970; varint number of fields
//         varint length of the field's wire name; the name; 8 bytes hash of its value, big endian
//
// A stamp counts only while the hash matches the value: a client that does not know this field changes values and leaves the stamp behind,
// and then the record's own modification time counts.

package import Foundation
import SluiceRecords
import SluiceSchema

/// Merge metadata of one record.
package struct MergeMetadata: Hashable, Sendable {
    package struct Stamp: Hashable, Sendable {
        /// Milliseconds since 1970; 0 for values that no person edited (imports).
        package var milliseconds: Int64
        package var hash: UInt64
    }

    package var operations: [UInt64: Int64] = [:]
    package var stamps: [String: Stamp] = [:]

    private static let version: UInt8 = 1
    private static let deviceCountMax = 16
    private static let fieldCountMax = 1_024

    package init() {}

    /// Notes that `device` writes the record in the operation of that number.
    package mutating func note(operation: Int64, of device: UInt64) {
        operations[device] = max(operation, operations[device] ?? 0)
        guard operations.count > Self.deviceCountMax else { return }
        let oldest = operations.filter { $0.key != device }.min { ($0.value, $0.key) < ($1.value, $1.key) }
        if let oldest { operations[oldest.key] = nil }
    }

    /// Stamps a value that is about to be sent.
    /// - Parameters:
    ///   - edited: when a person edited it, in milliseconds since 1970; 0 where nobody did.
    ///   - latest: no stamp is later; nil where the service's time is not known.
    mutating func stamp(_ field: String, hash: UInt64, edited: Int64, latest: Int64?) {
        stamps[field] = Stamp(milliseconds: self.edited(field, hash: hash, at: min(edited, latest ?? edited)), hash: hash)
    }

    /// When an edit on top of what this metadata describes counts as made: on top of one with a later stamp it is later all the same.
    func edited(_ field: String, hash: UInt64, at milliseconds: Int64) -> Int64 {
        max(milliseconds, stamps[field].flatMap { $0.hash == hash ? nil : $0.milliseconds + 1 } ?? 0)
    }

    // MARK: Bytes

    package var encoded: Data {
        var bytes = Data([Self.version])
        append(UInt64(operations.count), to: &bytes)
        for (device, number) in operations.sorted(by: { $0.key < $1.key }) {
            withUnsafeBytes(of: device.bigEndian) { bytes.append(contentsOf: $0) }
            append(UInt64(bitPattern: number), to: &bytes)
        }
        let groups = Dictionary(grouping: stamps.sorted { $0.key < $1.key }, by: \.value.milliseconds).sorted { $0.key < $1.key }
        append(UInt64(groups.count), to: &bytes)
        for (milliseconds, fields) in groups {
            append(UInt64(bitPattern: milliseconds), to: &bytes)
            append(UInt64(fields.count), to: &bytes)
            for (name, stamp) in fields {
                append(UInt64(name.utf8.count), to: &bytes)
                bytes.append(contentsOf: name.utf8)
                withUnsafeBytes(of: stamp.hash.bigEndian) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }

    /// nil for bytes of another version or form: the record then counts as written by a foreign client.
    package init?(encoded bytes: Data) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.version, let devices = reader.varint(), devices <= UInt64(Self.deviceCountMax) else { return nil }
        for _ in 0..<devices {
            guard let device = reader.fixed(), let number = reader.varint() else { return nil }
            operations[device] = Int64(bitPattern: number)
        }
        guard let groups = reader.varint(), groups <= UInt64(Self.fieldCountMax) else { return nil }
        for _ in 0..<groups {
            guard let milliseconds = reader.varint(), let count = reader.varint(), count <= UInt64(Self.fieldCountMax) else { return nil }
            for _ in 0..<count {
                guard let name = reader.text(), let hash = reader.fixed() else { return nil }
                stamps[name] = Stamp(milliseconds: Int64(bitPattern: milliseconds), hash: hash)
            }
        }
        guard reader.isAtEnd, stamps.count <= Self.fieldCountMax else { return nil }
    }

    private func append(_ value: UInt64, to bytes: inout Data) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}

private struct ByteReader {
    private var bytes: Data.SubSequence

    init(_ data: Data) { bytes = data[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8? { bytes.popFirst() }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let next = byte() else { return nil }
            value |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
        }
        return nil
    }

    mutating func fixed() -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        let value = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        bytes = bytes.dropFirst(8)
        return value
    }

    mutating func text() -> String? {
        guard let count = varint(), count <= UInt64(bytes.count) else { return nil }
        let text = String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
        bytes = bytes.dropFirst(Int(count))
        return text
    }
}

extension WireCell {
    /// FNV-1a, 64 bits, over a tag and the value's bytes. It only has to tell an edited value from an untouched one.
    var hash64: UInt64 {
        var hash = FNV1a()
        switch self {
        case .reference(let name):
            hash.add(tag: 1)
            hash.add((name?.text ?? "").utf8)
        case .attribute(let value):
            hash.add(tag: 2)
            hash.add((value.companion ?? "").utf8)
            switch value.value {
            case .string(let text)?: hash.add(tag: 3); hash.add(text.utf8)
            case .int64(let number)?: hash.add(tag: 4); hash.add(UInt64(bitPattern: number))
            case .double(let number)?: hash.add(tag: 5); hash.add(number.bitPattern)
            case .timestamp(let milliseconds)?: hash.add(tag: 6); hash.add(UInt64(bitPattern: milliseconds))
            case .bytes(let bytes)?: hash.add(tag: 7); hash.add(bytes)
            default: hash.add(tag: 0)
            }
        }
        return hash.value
    }
}

private struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(tag: UInt8) { value = (value ^ UInt64(tag)) &* 0x0000_0100_0000_01B3 }

    mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(tag: byte) } }

    mutating func add(_ number: UInt64) { for shift in stride(from: UInt64(0), to: 64, by: 8) { add(tag: UInt8(truncatingIfNeeded: number >> shift)) } }
}
