/// The version a person gives a schema: three numbers, compared from the left.
public struct SchemaVersion: Hashable, Sendable, Codable {
    public let major: Int
    public let minor: Int
    public let patch: Int

    /// - Precondition: no number is negative, as in SwiftData's `Schema.Version`.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        precondition(major >= 0 && minor >= 0 && patch >= 0, "a schema version has no negative number")
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads `1.2.3`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.init(numbers[0], numbers[1], numbers[2])
    }
}

extension SchemaVersion: Comparable, CustomStringConvertible {
    public static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    public var description: String { "\(major).\(minor).\(patch)" }
}
