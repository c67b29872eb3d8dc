// What stands in a column whose value lies in a file beside the store: the text `external:<SHA-256 in lower-case hex>:<bytes in
// decimal>`. A value of bytes is a blob everywhere else, so the two never look alike, and a person sees in the sqlite3 shell where the
// value is and how large.
//
// The name follows from the contents. So equal values share a file, equal columns mean equal values without a file being read, and a file
// may be written before the transaction that refers to it commits.

/// The place of one external value.
package struct ExternalReference: Hashable, Sendable {
    /// 64 lower-case hexadecimal digits.
    package let digest: String
    package let byteCount: Int

    /// A larger value of an external attribute lies in a file; this and smaller ones lie in the column, where they cost less than a file.
    package static let inlineByteCountMax = 131_072

    package init(digest: String, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }

    /// What every reference begins with, and no other value of bytes.
    package static let prefix = "external:"
    private static let digestLength = 64

    /// The reference that a column's text is; nil for any other text. Nothing but hexadecimal digits ever becomes part of a path.
    package init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.starts(with: Self.prefix.utf8) else { return nil }
        let rest = bytes.dropFirst(Self.prefix.utf8.count)
        let digest = rest.prefix(Self.digestLength)
        let tail = rest.dropFirst(Self.digestLength)
        guard digest.count == Self.digestLength, digest.allSatisfy(Self.isDigit), tail.first == UInt8(ascii: ":") else { return nil }
        let count = String(decoding: tail.dropFirst(), as: UTF8.self)
        guard let byteCount = Int(count), byteCount >= 0, "\(byteCount)" == count else { return nil }
        self.init(digest: String(decoding: digest, as: UTF8.self), byteCount: byteCount)
    }

    package var text: String { "\(Self.prefix)\(digest):\(byteCount)" }

    /// The file's place inside the folder of external values: a few hundred folders, so that none grows without bound.
    package var fileName: String { "\(digest.prefix(2))/\(digest)" }

    /// Whether a folder is one of those that files of values lie in.
    package static func isFolderName(_ name: some StringProtocol) -> Bool { name.utf8.count == 2 && name.utf8.allSatisfy(isDigit) }

    package static func isDigest(_ name: some StringProtocol) -> Bool {
        name.utf8.count == digestLength && name.utf8.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
