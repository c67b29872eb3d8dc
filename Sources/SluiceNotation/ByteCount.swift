/// A size, as people write it: `512B`, `64KiB`, `64MiB`, `1GiB`, `2TiB`; `kB`, `MB`, `GB` and `TB` are powers of ten.
package struct ByteCount: Hashable, Sendable, Comparable, CustomStringConvertible {
    package var bytes: Int64

    package init(bytes: Int64) { self.bytes = bytes }

    /// Nil without a unit, for a fraction, and beyond what 63 bits hold.
    package init?(notation text: some StringProtocol) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text[digits.endIndex...]
        guard let count = Int64(digits), let size = Self.units.first(where: { $0.name == unit })?.bytes else { return nil }
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: size)
        guard !isTooLarge else { return nil }
        self.bytes = bytes
    }

    package static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    /// In the largest binary unit that divides it.
    package var description: String {
        let unit = Self.units.prefix(5).last { bytes != 0 && bytes.isMultiple(of: $0.bytes) } ?? Self.units[0]
        return "\(bytes / unit.bytes)\(unit.name)"
    }

    /// Binary units first, each larger than the one before.
    private static let units: [(name: String, bytes: Int64)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
        ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ]
}
