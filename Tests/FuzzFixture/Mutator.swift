/// Makes bytes out of good ones that are a little wrong, very wrong, or nothing at all; the same ones from the same seed.
package struct Mutator {
    private var numbers: SeededNumbers

    package init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    private static let pieces: [[UInt8]] = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "true", "-1", "1e999", "18446744073709551616", "-9223372036854775809", "NaN", "\\u0000", "\\ud800", "%00",
        "%", "?", "&", "/../", "//", "\r\n", "\r\n\r\n", "\t", " ", "- ", "&a *a", "!!binary", "---", "\u{FEFF}", "é", "e\u{301}", "😀", "0x7f", "''",
        "Content-Length: 99999999999", "Transfer-Encoding: chunked", "Content-Encoding: gzip", "HTTP/1.1",
    ].map { Array($0.utf8) }

    /// What may stand in JSON where another value stood.
    private static let values: [[UInt8]] = [
        "null", "true", "0", "-1", "1", "2000", "1e400", "0.1", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "4503599627370497.5",
        #""""#, #""\u0000""#, #""😀""#, #""e\u0301""#, #""1""#, #""\"\\\u0001""#, "{}", "[]", "[[]]", "[null]", #"{"value":null}"#, #"{"value":[1,"a"],"type":"INT64_LIST"}"#,
        #"{"zoneName":"Notes","ownerRecordName":"_nobody"}"#, "\"" + String(repeating: "x", count: 3_000) + "\"",
        String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
    ].map { Array($0.utf8) }

    /// One of them.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    /// A number from 0.
    package mutating func number(below end: Int) -> Int { Int.random(in: 0..<end, using: &numbers) }

    /// A few changes of one of the good ones; one time in sixteen bytes that have nothing of it.
    package mutating func mutated(_ good: [[UInt8]]) -> [UInt8] {
        guard number(below: 16) > 0 else { return garbage() }
        var bytes = pick(good)
        for _ in 0..<number(below: 5) + 1 { change(&bytes, good) }
        return bytes
    }

    /// Of one of the good JSON texts some values, or keys, are others: what is wrong with it shows only to who has read it.
    package mutating func reshaped(_ good: [[UInt8]]) -> [UInt8] {
        var bytes = pick(good)
        for _ in 0..<number(below: 4) + 1 {
            let places = Self.scalars(bytes)
            guard !places.isEmpty else { return bytes }
            let place = pick(places)
            let isKey = place.upperBound < bytes.count && bytes[place.upperBound] == UInt8(ascii: ":")
            bytes.replaceSubrange(place, with: isKey || number(below: 3) == 0 ? scalar(of: pick(good), isKey: isKey) : pick(Self.values))
        }
        return bytes
    }

    /// Either of the two ways.
    package mutating func spoiled(_ good: [[UInt8]]) -> [UInt8] { number(below: 2) == 0 ? mutated(good) : reshaped(good) }

    private mutating func scalar(of text: [UInt8], isKey: Bool) -> [UInt8] {
        let places = Self.scalars(text).filter { !isKey || text[$0.lowerBound] == UInt8(ascii: "\"") }
        return places.isEmpty ? Array("\"x\"".utf8) : Array(text[pick(places)])
    }

    /// Where strings, numbers and words stand in a JSON text.
    private static func scalars(_ bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = 0
        while place < bytes.count {
            let start = place
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
                place = min(place + 1, bytes.count)
            case UInt8(ascii: "-"), 0x30...0x39, 0x61...0x7A:
                while place < bytes.count, !" ,]}:".utf8.contains(bytes[place]) { place += 1 }
            default:
                place += 1
                continue
            }
            found.append(start..<place)
        }
        return found
    }

    private mutating func garbage() -> [UInt8] { (0..<number(below: 301)).map { _ in UInt8(number(below: 256)) } }

    private mutating func change(_ bytes: inout [UInt8], _ good: [[UInt8]]) {
        guard !bytes.isEmpty else { return bytes = pick(Self.pieces) }
        let place = number(below: bytes.count)
        let end = min(bytes.count, place + number(below: 40) + 1)
        switch number(below: 8) {
        case 0: bytes[place] = UInt8(number(below: 256))
        case 1: bytes[place] ^= 1 << UInt8(number(below: 8))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: pick(Self.pieces), at: place)
        case 4: bytes.replaceSubrange(place..<end, with: pick(Self.pieces))
        case 5: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 6: bytes.removeSubrange(place...)
        default:
            // The head of one and the tail of another.
            let other = pick(good)
            bytes = Array(bytes[..<place] + other[min(place, other.count)...])
        }
    }
}
