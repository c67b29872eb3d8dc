package import Foundation
package import SluiceRecords

/// A value as queries compare it: numbers by what they are worth, text by its bytes, references by where they point.
///
/// `1`, `1.0` and the timestamp 1 are equal here, since a client that states no type sends a whole number for each of them.
package enum QueryOperand: Hashable, Sendable {
    case integer(Int64)
    /// No whole number that Int64 holds.
    case double(Double)
    case text([UInt8])
    case bytes(Data)
    /// - Parameter zone: empty for the zone of the record that holds it.
    case reference(name: [UInt8], zone: String)

    /// Nil for values that are compared in no way: lists, places, assets.
    /// - Parameter zone: where the record is that holds the value, or is held against it.
    package init?(_ value: FieldValue, in zone: String) {
        switch value {
        case .string(let text): self = .text(Array(text.utf8))
        case .int64(let value), .timestamp(let value): self = .integer(value)
        case .double(let value): self.init(value)
        case .bytes(let data): self = .bytes(data)
        case .reference(let reference):
            let named = reference.zoneID?.zoneName
            self = .reference(name: Array(reference.recordName.utf8), zone: named == zone ? "" : named ?? "")
        default: return nil
        }
    }

    package init(_ value: Double) {
        if let whole = Int64(exactly: value) { self = .integer(whole) } else { self = .double(value) }
    }

    /// The elements of a list; nil for what is none.
    package static func list(_ value: FieldValue, in zone: String) -> [QueryOperand]? {
        let elements: [FieldValue]
        switch value {
        case .stringList(let list): elements = list.map(FieldValue.string)
        case .int64List(let list): elements = list.map(FieldValue.int64)
        case .timestampList(let list): elements = list.map(FieldValue.timestamp)
        case .doubleList(let list): elements = list.map(FieldValue.double)
        case .bytesList(let list): elements = list.map(FieldValue.bytes)
        case .referenceList(let list): elements = list.map(FieldValue.reference)
        case .emptyList: elements = []
        default: return nil
        }
        return elements.compactMap { QueryOperand($0, in: zone) }
    }
}

extension QueryOperand {
    /// Which of two values comes first: negative where this one does, 0 for none. Nil for values of kinds that have no order between them.
    package func order(to other: QueryOperand) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): Self.order(left, right)
        case (.double(let left), .double(let right)): Self.order(left, right)
        case (.integer(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .integer(let right)): -Self.order(right, left)
        case (.text(let left), .text(let right)): Self.order(left, right)
        default: nil
        }
    }

    /// An order over all values, for sorting: numbers, then text.
    static func sortOrder(_ left: QueryOperand?, _ right: QueryOperand?) -> Int {
        guard let left, let right else { return (left == nil ? 0 : 1) - (right == nil ? 0 : 1) }
        return left.order(to: right) ?? order(left.rank, right.rank)
    }

    private var rank: Int {
        switch self {
        case .integer, .double: 0
        case .text: 1
        case .bytes: 2
        case .reference: 3
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int { left < right ? -1 : left > right ? 1 : 0 }

    static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                let shared = memcmpOrZero(left, right)
                return shared != 0 ? shared : order(left.count, right.count)
            }
        }
    }

    private static func memcmpOrZero(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let count = min(left.count, right.count)
        guard count > 0, let first = left.baseAddress, let second = right.baseAddress else { return 0 }
        return Int(memcmp(first, second, count))
    }

    /// Exact: a conversion of the integer would round it. The double is no whole number that Int64 holds, so they are never equal.
    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        return left <= Int64(right.rounded(.down)) ? -1 : 1
    }
}

extension QueryOperand {
    /// The words of a text, folded: case and diacritics do not count.
    static func tokens(of text: String) -> Set<String> {
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        return Set(folded.split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }

    /// Metres between two places on a sphere of the earth's mean radius.
    static func distance(_ left: Location, _ right: Location) -> Double {
        let radians = Double.pi / 180
        let (from, to) = (left.latitude * radians, right.latitude * radians)
        let (height, width) = ((to - from) / 2, (right.longitude - left.longitude) * radians / 2)
        let chord = sin(height) * sin(height) + cos(from) * cos(to) * sin(width) * sin(width)
        return 2 * 6_371_008.8 * asin(min(1, max(0, chord).squareRoot()))
    }
}
