extension Duration {
    /// Reads a number and a unit without a space: `250ms`, `30s`, `5m`, `12h`, `90d`.
    ///
    /// A bare number is refused, because nobody agrees on the unit it means; so is anything over a hundred years.
    package init?(notation text: some StringProtocol) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let milliseconds: Int64
        switch text[digits.endIndex...] {
        case "ms": milliseconds = 1
        case "s": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        case "d": milliseconds = 86_400_000
        default: return nil
        }
        guard let count = Int64(digits), count <= 3_155_760_000_000 / milliseconds else { return nil }
        self = .milliseconds(count * milliseconds)
    }

    /// The duration in the largest unit that divides it, as `init(notation:)` reads it.
    package var notation: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] as [(String, Int64)]
        where milliseconds.isMultiple(of: size) && milliseconds != 0 {
            return "\(milliseconds / size)\(unit)"
        }
        return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
    }
}
