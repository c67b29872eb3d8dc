import FoundationEssentials
package import SluiceReader
import SluiceSQLite
package import SluiceStore

/// Why a value is not taken into shared defaults.
package enum SharedDefaultsFault: Error, Hashable, Sendable, CustomStringConvertible {
    case key(String)
    case tooManyKeys
    case tooLarge(bytes: Int, maximum: Int)

    package var description: String {
        switch self {
        case .key(let key):
            "the key \(key.prefix(80)) has \(key.utf8.count) bytes; a key has 1 to \(SharedDefaults.keyByteCountMax), and no control characters"
        case .tooManyKeys: "there are \(SharedDefaults.keyCountMax) keys already: remove one"
        case .tooLarge(let bytes, let maximum): "all values together would take \(bytes) bytes, and \(maximum) are the most: remove some, or use rows"
        }
    }

    /// Whether a key can be one.
    package static func check(key: String) throws(SharedDefaultsFault) {
        let isPlain = key.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard (1...SharedDefaults.keyByteCountMax).contains(key.utf8.count), isPlain else { throw .key(key) }
    }
}

/// The shared defaults of one group container as the synced store keeps them: the file in the container is a copy, which can be made again.
package struct StoredDefaults {
    private let store: Store
    private let setting: String

    /// - Parameter group: the container's name.
    package init(of group: String, in store: Store) {
        self.store = store
        setting = "defaults.\(group)"
    }

    /// What is kept. Where nothing ever was, as after the state directory was lost, what helpers still read is taken over.
    package func values(adopting shown: [String: SharedValue]) throws -> [String: SharedValue] {
        guard try store.setting(setting) == nil, !shown.isEmpty else { return try values() }
        try store.write { try store.set(.text(String(decoding: Self.encode(shown), as: UTF8.self)), for: setting) }
        return shown
    }

    private static func encode(_ values: [String: SharedValue]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(values)
    }

    package func values() throws -> [String: SharedValue] {
        guard let text = try store.setting(setting)?.text else { return [:] }
        return try JSONDecoder().decode([String: SharedValue].self, from: Data(text.utf8))
    }

    /// Sets a value, or removes it where it is nil. Returns what there is now.
    /// - Throws: `SharedDefaultsFault`; nothing is then changed.
    package func set(_ value: SharedValue?, for key: String) throws -> [String: SharedValue] {
        try SharedDefaultsFault.check(key: key)
        return try store.write {
            var values = try values()
            values[key] = value
            guard values.count <= SharedDefaults.keyCountMax else { throw SharedDefaultsFault.tooManyKeys }
            let bytes = try Self.encode(values)
            guard bytes.count <= SharedDefaults.byteCountMax else {
                throw SharedDefaultsFault.tooLarge(bytes: bytes.count, maximum: SharedDefaults.byteCountMax)
            }
            try store.set(.text(String(decoding: bytes, as: UTF8.self)), for: setting)
            return values
        }
    }
}
