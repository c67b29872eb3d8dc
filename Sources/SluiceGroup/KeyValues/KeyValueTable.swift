// The synced key-value store: the job of NSUbiquitousKeyValueStore. It is a small account of its own beside the account, with its own store
// (`<state>/keyvalues`), and its own zone (`<zone>.keyvalues`) in the same database of the same user: nothing of it is in the account's
// schema, in what helpers read, or in the digest of records. Everything that holds for an account holds for it.
//
// One record per key, named by it, so that two devices that set one key mean one record. A value that is removed becomes nil in its record,
// not a deletion: then the latest edit wins between setting and removing as it does between setting and setting. Records of keys that were
// removed longest ago are deleted beyond a bound.

package import Foundation
package import SluiceReader
package import SluiceSchema
import SluiceSQLite
package import SluiceStore

/// Bounds of the synced key-value store, as Apple documents them for NSUbiquitousKeyValueStore: 1 MB and 1,024 keys in all, 64 bytes of
/// UTF-8 for a key. A value has less than the 1 MB that Apple allows: it travels in one record of at most 1 MB on the wire, as base64.
package enum KeyValueLimits {
    package static let keyByteCountMax = SharedDefaults.keyByteCountMax
    package static let keyCountMax = 1_024
    package static let byteCountMax = 1_048_576
    package static let valueByteCountMax = 720_000
    /// Records of removed keys that are kept, so that removing can still lose to a later edit.
    static let removedCountMax = 1_024
}

/// Why a value is not taken into the synced key-value store.
package enum KeyValueFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than may be kept: what a program is told by `quotaViolation`, too.
    case quota(String)

    package var description: String { if case .quota(let what) = self { what } else { "" } }
}

/// The keys and values of one store. Used on the account's executor.
package struct KeyValueTable {
    private let store: Store

    package init(store: Store) { self.store = store }

    static let entity = "KeyValue"
    private enum Property {
        static let (key, value, removed) = ("key", "value", "removed")
    }

    package static var schema: Schema {
        get throws {
            try Schema(
                name: "keyvalues",
                validating: [
                    Entity(
                        entity,
                        attributes: [
                            Attribute(Property.key, .string), Attribute(Property.value, .data, isOptional: true),
                            Attribute(Property.removed, .date, isOptional: true),
                        ], identity: [Property.key])
                ])
        }
    }

    package func value(for key: String) throws -> SharedValue? { try all()[key] }

    /// What is there; a value of a newer program that this one cannot read is left out, and stays.
    package func all() throws -> [String: SharedValue] {
        var values: [String: SharedValue] = [:]
        try store.connection.forEachRow("SELECT key, value FROM KeyValue WHERE value IS NOT NULL") { row in
            guard case .data(let bytes) = PropertyValue(stored: row.value(1), as: .data) else { return }
            values[row.text(0)] = try? JSONDecoder().decode(SharedValue.self, from: bytes)
        }
        return values
    }

    /// Keys with a value, and the bytes of keys and values.
    package func usage() throws -> (keys: Int, bytes: Int) {
        try store.connection.firstRow(
            "SELECT count(*), coalesce(sum(length(CAST(key AS BLOB)) + length(value)), 0) FROM KeyValue WHERE value IS NOT NULL"
        ) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
    }

    /// Whether merged edits of several devices came to more than one may set.
    package func isOverQuota() throws -> Bool {
        let usage = try usage()
        return usage.keys > KeyValueLimits.keyCountMax || usage.bytes > KeyValueLimits.byteCountMax
    }

    /// Sets a value, or removes it where it is nil. Returns whether anything changed.
    /// - Throws: `SharedDefaultsFault` for a key that is none, `KeyValueFault` where it does not fit; nothing is then changed.
    package func set(_ value: SharedValue?, for key: String, at now: Date) throws -> Bool {
        try SharedDefaultsFault.check(key: key)
        return try store.write(.local) {
            let before = try self.value(for: key)
            guard before != value else { return false }
            guard let value else {
                try put(key, .null, removed: now)
                try forgetOldestRemoved()
                return true
            }
            let bytes = try JSONEncoder.sorted.encode(value)
            guard bytes.count <= KeyValueLimits.valueByteCountMax else {
                throw KeyValueFault.quota("the value has \(bytes.count) bytes, and \(KeyValueLimits.valueByteCountMax) are the most: keep it in a row")
            }
            try put(key, .data(bytes), removed: nil)
            let usage = try usage()
            guard usage.keys <= KeyValueLimits.keyCountMax else {
                throw KeyValueFault.quota("there are \(KeyValueLimits.keyCountMax) keys already: remove one")
            }
            guard usage.bytes <= KeyValueLimits.byteCountMax else {
                throw KeyValueFault.quota(
                    "all values together would take \(usage.bytes) bytes, and \(KeyValueLimits.byteCountMax) are the most: remove some")
            }
            return true
        }
    }

    private func put(_ key: String, _ value: PropertyValue, removed: Date?) throws {
        try store.put(
            Self.entity, RowEdit(attributes: [Property.key: .string(key), Property.value: value, Property.removed: removed.map(PropertyValue.date) ?? .null]))
    }

    private func forgetOldestRemoved() throws {
        let names = try store.connection.rows(
            "SELECT _id FROM KeyValue WHERE value IS NULL ORDER BY removed DESC, _pk DESC LIMIT -1 OFFSET ?",
            [SQLiteValue(KeyValueLimits.removedCountMax)]
        ) { RecordName(stored: $0.value(0)) }
        for name in names.compactMap({ $0 }) { try store.delete(name) }
    }
}

extension JSONEncoder {
    /// The same bytes for the same value.
    fileprivate static var sorted: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
