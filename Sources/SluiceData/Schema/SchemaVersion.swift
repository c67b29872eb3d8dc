package import SluiceSchema

extension Schema {
    /// The version a person gives a schema: three numbers, compared from the left.
    public struct Version: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
        /// Changed where programs of before cannot go on.
        public let major: Int
        /// Changed where something was added.
        public let minor: Int
        /// Changed for everything else.
        public let patch: Int

        /// - Precondition: no number is negative.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            precondition(major >= 0 && minor >= 0 && patch >= 0, "a schema version has no negative number")
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Decoded numbers come from files, so a negative one is an error there.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let numbers = try [CodingKeys.major, .minor, .patch].map { try container.decode(Int.self, forKey: $0) }
            guard numbers.allSatisfy({ $0 >= 0 }) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "a schema version has no negative number"))
            }
            self.init(numbers[0], numbers[1], numbers[2])
        }

        private enum CodingKeys: CodingKey { case major, minor, patch }

        public static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }

        public var description: String { "\(major).\(minor).\(patch)" }
    }
}

extension Schema.Version {
    package init(_ version: SchemaVersion) { self.init(version.major, version.minor, version.patch) }

    /// The same version as the store's own schema has it.
    package var stored: SchemaVersion { SchemaVersion(major, minor, patch) }
}
