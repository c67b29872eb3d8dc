// The bytes of the reserved field `sluice_meta`: when each field was last edited, and by which operation of each device.
//
//     byte      version: 1, or 2 where fields are counted
//     varint    number of devices (at most 16; of version 1 the highest operation numbers are kept, of version 2 those that wrote last)
//       8 bytes device, big endian; varint operation number. In version 2 whoever wrote last comes last
//     varint    number of groups of fields with one stamp
//       varint  stamp, milliseconds since 1970; varint number of fields
//         varint length of the field's wire name; the name; 8 bytes hash of its value, big endian
//     version 2 only:
//     varint    number of counted fields
//       varint length of the field's wire name; the name; varint number of devices
//         8 bytes device, big endian; varint what that device has added in all (CounterMerge), as 64 bits
//
// A reader that knows version 1 only takes version 2 for the bytes of a foreign client, and writes the record without them; see CounterMerge
// for what that means.
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
    /// What each device has added to each counted field, by wire name and device; nil where nobody counts.
    private(set) var counters: [String: [UInt64: Int64]]?
    /// Devices by when they wrote; kept where somebody counts.
    private var recency: [UInt64] = []

    static let version: UInt8 = 1
    private static let countingVersion: UInt8 = 2
    static let deviceCountMax = 16
    static let fieldCountMax = 1_024

    package init() {}

    /// Notes that `device` writes the record in the operation of that number.
    package mutating func note(operation: Int64, of device: UInt64) {
        operations[device] = max(operation, operations[device] ?? 0)
        guard counters == nil else {
            recency.removeAll { $0 == device }
            recency.append(device)
            if recency.count > Self.deviceCountMax { forget(recency[0]) }
            return
        }
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

    /// Lowers stamps that are later than `bound`, in milliseconds since 1970.
    /// - Returns: whether there were any.
    mutating func lower(to bound: Int64) -> Bool {
        let late = stamps.filter { $0.value.milliseconds > bound }
        for field in late.keys { stamps[field]?.milliseconds = bound }
        return !late.isEmpty
    }

    /// When an edit on top of what this metadata describes counts as made: on top of one with a later stamp it is later all the same.
    func edited(_ field: String, hash: UInt64, at milliseconds: Int64) -> Int64 {
        max(milliseconds, stamps[field].flatMap { $0.hash == hash ? nil : $0.milliseconds + 1 } ?? 0)
    }

    // MARK: Counting

    /// From now on it says what each device has added.
    mutating func beginCounting() {
        guard counters == nil else { return }
        counters = [:]
        recency = operations.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    /// What a device has added to a field, as far as this metadata knows.
    func counted(_ field: String, by device: UInt64) -> Int64 { counters?[field]?[device] ?? 0 }

    /// Notes that a device has added so much more.
    mutating func count(_ difference: Int64, of field: String, by device: UInt64) {
        guard counters != nil, difference != 0 else { return }
        let sum = counted(field, by: device) &+ difference
        counters?[field, default: [:]][device] = sum
    }

    /// Takes over what an earlier reading knows of devices whose later writes this one has not seen: a service that lost its memory.
    mutating func join(_ earlier: MergeMetadata) {
        guard counters != nil, let counted = earlier.counters else { return }
        for device in earlier.recency where earlier.operations[device, default: 0] > operations[device, default: 0] {
            guard operations[device] != nil || recency.count < Self.deviceCountMax else { continue }
            operations[device] = earlier.operations[device]
            if !recency.contains(device) { recency.insert(device, at: 0) }
            for (field, devices) in counted { counters?[field, default: [:]][device] = devices[device] }
        }
    }

    /// Forgets what one device's latest writes did, for as long as it is in doubt whether the service has them still.
    package mutating func forgetWrites(of device: UInt64, since earlier: MergeMetadata?) {
        guard let counters else { return }
        for field in counters.keys { self.counters?[field]?[device] = earlier?.counters?[field]?[device] }
        operations[device] = earlier?.operations[device]
        if operations[device] == nil { recency.removeAll { $0 == device } }
    }

    private mutating func forget(_ device: UInt64) {
        recency.removeAll { $0 == device }
        operations[device] = nil
        for field in (counters ?? [:]).keys { counters?[field]?[device] = nil }
    }

    // MARK: Bytes

    package var encoded: Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + 24 * stamps.count)
        bytes.append(counters == nil ? Self.version : Self.countingVersion)
        Self.append(UInt64(operations.count), to: &bytes)
        for device in counters == nil ? operations.keys.sorted() : recency {
            Self.append(device, operations[device, default: 0], to: &bytes)
        }
        appendStamps(to: &bytes)
        guard let counted = counters?.filter({ !$0.value.isEmpty }).sorted(by: { $0.key < $1.key }) else { return Data(bytes) }
        Self.append(UInt64(counted.count), to: &bytes)
        for (name, devices) in counted {
            Self.append(name, to: &bytes)
            Self.append(UInt64(devices.count), to: &bytes)
            for (device, sum) in devices.sorted(by: { $0.key < $1.key }) { Self.append(device, sum, to: &bytes) }
        }
        return Data(bytes)
    }

    private func appendStamps(to bytes: inout [UInt8]) {
        let sorted = stamps.sorted { ($0.value.milliseconds, $0.key) < ($1.value.milliseconds, $1.key) }
        let starts = sorted.indices.filter { $0 == 0 || sorted[$0].value.milliseconds != sorted[$0 - 1].value.milliseconds }
        Self.append(UInt64(starts.count), to: &bytes)
        for (place, start) in starts.enumerated() {
            let fields = sorted[start..<(place + 1 < starts.count ? starts[place + 1] : sorted.count)]
            Self.append(UInt64(bitPattern: sorted[start].value.milliseconds), to: &bytes)
            Self.append(UInt64(fields.count), to: &bytes)
            for (name, stamp) in fields {
                Self.append(name, to: &bytes)
                withUnsafeBytes(of: stamp.hash.bigEndian) { bytes.append(contentsOf: $0) }
            }
        }
    }

    /// What a device says of a record that it made: it alone has written it, and a person made all of it at one time.
    /// - Parameters:
    ///   - stamp: milliseconds since 1970; 0 where no person made it.
    ///   - fields: with the hashes of their values, names ascending.
    /// - Returns: the bytes that `encoded` would give for the same.
    static func encodedCreation(
        by device: UInt64, operation: Int64, stamp: Int64, fields: some Collection<(name: String, hash: UInt64)>
    ) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + 24 * fields.count)
        bytes.append(version)
        append(1, to: &bytes)
        append(device, operation, to: &bytes)
        append(fields.isEmpty ? 0 : 1, to: &bytes)
        guard !fields.isEmpty else { return Data(bytes) }
        append(UInt64(bitPattern: stamp), to: &bytes)
        append(UInt64(fields.count), to: &bytes)
        for (name, hash) in fields {
            append(name, to: &bytes)
            withUnsafeBytes(of: hash.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return Data(bytes)
    }

    /// nil for bytes of another version or form: the record then counts as written by a foreign client.
    package init?(encoded bytes: Data) {
        guard let metadata = bytes.withUnsafeBytes(Self.decoded) else { return nil }
        self = metadata
    }

    private static func decoded(_ bytes: UnsafeRawBufferPointer) -> MergeMetadata? {
        var metadata = MergeMetadata()
        return metadata.read(bytes) ? metadata : nil
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = MetadataReader(bytes)
        guard let version = reader.byte(), version == Self.version || version == Self.countingVersion,
            let devices = reader.varint(), devices <= UInt64(Self.deviceCountMax)
        else { return false }
        for _ in 0..<devices {
            guard let device = reader.fixed(), let number = reader.varint() else { return false }
            operations[device] = Int64(bitPattern: number)
            if version == Self.countingVersion, !recency.contains(device) { recency.append(device) }
        }
        guard let groups = reader.varint(), groups <= UInt64(Self.fieldCountMax) else { return false }
        for _ in 0..<groups {
            guard let milliseconds = reader.varint(), let count = reader.varint(), count <= UInt64(Self.fieldCountMax) else { return false }
            for _ in 0..<count {
                guard let name = reader.text(), let hash = reader.fixed() else { return false }
                stamps[name] = Stamp(milliseconds: Int64(bitPattern: milliseconds), hash: hash)
            }
        }
        if version == Self.countingVersion {
            guard let counted = Self.counters(&reader) else { return false }
            counters = counted
        }
        return reader.isAtEnd && stamps.count <= Self.fieldCountMax
    }

    private static func counters(_ reader: inout MetadataReader) -> [String: [UInt64: Int64]]? {
        guard let count = reader.varint(), count <= UInt64(fieldCountMax) else { return nil }
        var counters: [String: [UInt64: Int64]] = [:]
        for _ in 0..<count {
            guard let name = reader.text(), let devices = reader.varint(), devices <= UInt64(deviceCountMax) else { return nil }
            for _ in 0..<devices {
                guard let device = reader.fixed(), let sum = reader.varint() else { return nil }
                counters[name, default: [:]][device] = Int64(bitPattern: sum)
            }
        }
        return counters
    }

    private static func append(_ name: String, to bytes: inout [UInt8]) {
        append(UInt64(name.utf8.count), to: &bytes)
        bytes.append(contentsOf: name.utf8)
    }

    private static func append(_ device: UInt64, _ number: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: device.bigEndian) { bytes.append(contentsOf: $0) }
        append(UInt64(bitPattern: number), to: &bytes)
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
