import Foundation
import SluiceSchema

/// Values of an attribute as they occur, and as they occur at the edges: none, the least, the greatest, and what programs trip over.
struct RepresentativeValues {
    private static let texts = [
        "", "plain", "Zoë", "Zoe\u{308}", "日本語", "🥛👩‍👩‍👧", "שלום", "two\nlines\tand a tab", "'quotes' \"double\" \\ %_ --", "a\0b",
        String(repeating: "long ", count: 2_000),
    ]
    private static let dates: [TimeInterval] = [0, -978_307_200, 793_109_282.061, 0.1, -63_114_076_800, 252_423_993_600]
    private static let largeByteCount = 200_000

    /// The value of row `index`; none now and then where the attribute is optional.
    static func value(_ index: Int, of attribute: Attribute) -> PropertyValue {
        if attribute.isOptional, index % 5 == 1 { return .null }
        // Beginning elsewhere for each attribute keeps rows from being all least or all greatest.
        let offset = attribute.name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return edge(index + offset, attribute)
    }

    private static func edge(_ index: Int, _ attribute: Attribute) -> PropertyValue {
        func pick<Value>(_ values: [Value]) -> Value { values[index % values.count] }
        switch attribute.type {
        case .string: return .string(pick(texts))
        case .url: return .string(pick(["https://example.org/a?b=c#d", "file:///tmp/%C3%A9", "mailto:someone@example.org"]))
        case .int16: return .integer(pick([0, 1, -1, Int64(Int16.max), Int64(Int16.min)]))
        case .int32: return .integer(pick([0, 1, -1, Int64(Int32.max), Int64(Int32.min)]))
        case .int64: return .integer(pick([0, 1, -1, .max, .min, 9_007_199_254_740_993]))
        case .boolean: return .boolean(index.isMultiple(of: 2))
        case .float: return .double(pick([0, -0.0, 0.5, Double(Float.greatestFiniteMagnitude), Double(Float.leastNonzeroMagnitude)]))
        case .double: return .double(pick([0, -0.0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan]))
        case .decimal: return .decimal(decimal(pick(["0", "-1.10", "0.00000000000000000001", "12345678901234567890123456789012345678"])))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: pick(dates)))
        case .uuid: return .uuid(uuid(index, 0))
        case .codable: return .data(Data(pick(["{}", "[]", "\"text\"", "null"]).utf8))
        case .data, .transformable:
            let count = attribute.isExternal && index.isMultiple(of: 4) ? largeByteCount : pick([0, 1, 255])
            return .data(bytes(count, from: index))
        }
    }

    /// The value of row `index` where no two rows may have the same; a truth value cannot be that of many rows.
    static func distinctValue(_ index: Int, of attribute: Attribute, salt: Int) -> PropertyValue {
        switch attribute.type {
        case .string: .string("\(attribute.name) \(index) é")
        case .url: .string("https://example.org/\(index)")
        case .int16, .int32, .int64: .integer(Int64(index))
        case .boolean: .boolean(index.isMultiple(of: 2))
        case .float, .double: .double(Double(index) + 0.5)
        case .decimal: .decimal(Decimal(index))
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(index) * 86_400))
        case .uuid: .uuid(uuid(index, salt))
        case .codable: .data(Data("\(index)".utf8))
        case .data, .transformable: .data(Data("\(index)".utf8))
        }
    }

    private static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? 0 }

    private static func bytes(_ count: Int, from seed: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }) }

    private static func uuid(_ index: Int, _ salt: Int) -> UUID {
        var random = SeededRandom(seed: UInt64(truncatingIfNeeded: index &* 1_000_003 &+ salt))
        return UUID.random(using: &random)
    }
}

/// The same bits for the same seed, on every machine (SplitMix64, https://prng.di.unimi.it/splitmix64.c).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
