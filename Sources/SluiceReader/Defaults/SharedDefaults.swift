public import FoundationEssentials

/// What the account's user told helpers besides rows: small typed values by key, read from `defaults.json` without opening a store.
///
///     let defaults = try GroupContainer.open(named: "shopping", environment: environment).defaults()
///     let theme = defaults.string(forKey: "theme") ?? "light"
///
/// One value of it is one moment: every key is of the same replacement of the file.
public struct SharedDefaults: Hashable, Sendable {
    public let values: [String: SharedValue]

    /// Bytes of a key in UTF-8.
    public static let keyByteCountMax = 64
    public static let keyCountMax = 256
    /// Bytes of all keys and values of a group container as JSON: the pointer is read whole each time anybody reads.
    public static let byteCountMax = 32_768

    package init(_ values: [String: SharedValue]) { self.values = values }

    public subscript(key: String) -> SharedValue? { values[key] }

    /// nil where there is no value, or one of another type; so for all types.
    public func string(forKey key: String) -> String? { if case .string(let text)? = values[key] { text } else { nil } }
    public func integer(forKey key: String) -> Int64? { if case .integer(let number)? = values[key] { number } else { nil } }
    public func bool(forKey key: String) -> Bool? { if case .boolean(let flag)? = values[key] { flag } else { nil } }
    public func date(forKey key: String) -> Date? { if case .date(let date)? = values[key] { date } else { nil } }
    public func data(forKey key: String) -> Data? { if case .data(let data)? = values[key] { data } else { nil } }
    public func array(forKey key: String) -> [SharedValue]? { if case .list(let values)? = values[key] { values } else { nil } }

    /// A whole number is a double, too.
    public func double(forKey key: String) -> Double? {
        switch values[key] {
        case .double(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}

extension GroupContainer {
    /// The shared defaults as they are now.
    /// - Throws: `ReaderError.noStore` where nobody made the container yet, or what keeps the file from being read.
    public func defaults() throws(ReaderError) -> SharedDefaults { SharedDefaults(try pointer(isWhole: true).values) }
}
