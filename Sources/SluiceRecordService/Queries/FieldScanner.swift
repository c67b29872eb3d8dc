import Foundation
import SluiceRecords

/// Finds a few fields in the canonical JSON that storage keeps, without decoding the others: a query looks at many records and gives few.
struct FieldScanner: Sendable {
    /// The wanted names as they stand in the JSON, quotes and escapes included.
    private let keys: [[UInt8]]

    init(_ names: [String]) {
        keys = names.map { name in
            var writer = JSONWriter(capacity: name.utf8.count + 2)
            writer.string(name)
            return Array(writer.data)
        }
    }

    /// One element per name, in their order; nil where the field is absent.
    /// - Throws: where the bytes are not the object that storage writes.
    func fields(in json: Data) throws(WireError) -> [Field?] {
        var found = [Field?](repeating: nil, count: keys.count)
        for (index, range) in try ranges(in: json).enumerated() {
            guard let range else { continue }
            found[index] = try Field(decoding: json.subdata(in: json.startIndex + range.lowerBound..<json.startIndex + range.upperBound))
        }
        return found
    }

    private func ranges(in json: Data) throws(WireError) -> [Range<Int>?] {
        var ranges = [Range<Int>?](repeating: nil, count: keys.count)
        var missing = keys.count
        let isSound = json.withUnsafeBytes { bytes in
            var position = 1
            guard bytes.first == UInt8(ascii: "{") else { return false }
            while missing > 0, position < bytes.count, bytes[position] != UInt8(ascii: "}") {
                if bytes[position] == UInt8(ascii: ",") { position += 1 }
                guard let keyEnd = Self.endOfString(from: position, in: bytes), keyEnd < bytes.count, bytes[keyEnd] == UInt8(ascii: ":"),
                    let end = Self.endOfValue(from: keyEnd + 1, in: bytes)
                else { return false }
                let key = UnsafeRawBufferPointer(rebasing: bytes[position..<keyEnd])
                if let index = keys.firstIndex(where: { $0.count == key.count && $0.elementsEqual(key) }) {
                    ranges[index] = keyEnd + 1..<end
                    missing -= 1
                }
                position = end
            }
            return missing == 0 || position < bytes.count
        }
        guard isSound else { throw WireError(.malformed, "stored fields are damaged") }
        return ranges
    }

    /// The position after the closing quote of a string that begins here.
    private static func endOfString(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        var position = start + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "\""): return position + 1
            default: position += 1
            }
        }
        return nil
    }

    /// The position after a value: where, outside of every bracket and string, a comma or the object's end stands.
    private static func endOfValue(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: position, in: bytes) else { return nil }
                position = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}") where depth == 0, UInt8(ascii: ",") where depth == 0: return position
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
        }
        return nil
    }
}
