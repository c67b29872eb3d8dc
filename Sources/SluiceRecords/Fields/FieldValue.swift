package import FoundationEssentials

/// The value of one field of a record.
///
/// Equality is exact: doubles compare by their bits, text by its bytes, so two values are equal when nothing is lost by sending one for the
/// other. (Swift's string equality is canonical equivalence, which would take `é` for `e` + accent.)
package enum FieldValue: Sendable {
    case string(String)
    case int64(Int64)
    /// Finite; encoding NaN or ∞ throws.
    case double(Double)
    /// Milliseconds since 1970, UTC.
    case timestamp(Int64)
    case bytes(Data)
    // Large ones lie elsewhere, or every field would take as much room as the largest.
    indirect case location(Location)
    indirect case reference(Reference)
    indirect case asset(Asset)
    case stringList([String])
    case int64List([Int64])
    case doubleList([Double])
    case timestampList([Int64])
    case bytesList([Data])
    case locationList([Location])
    case referenceList([Reference])
    case assetList([Asset])
    /// An empty list whose element type nobody stated.
    case emptyList
    /// A type that this version does not know, kept as the JSON of its value so that a full resend loses nothing.
    case other(type: String, json: Data)

    /// The tag that goes with it on the wire.
    package var type: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        case .stringList: "STRING_LIST"
        case .int64List: "INT64_LIST"
        case .doubleList: "DOUBLE_LIST"
        case .timestampList: "TIMESTAMP_LIST"
        case .bytesList: "BYTES_LIST"
        case .locationList: "LOCATION_LIST"
        case .referenceList: "REFERENCE_LIST"
        case .assetList: "ASSETID_LIST"
        case .emptyList: "UNKNOWN_LIST"
        case .other(let type, _): type
        }
    }
}

extension FieldValue: Hashable {
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.int64(let left), .int64(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.stringList(let left), .stringList(let right)):
            left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
        case (.int64List(let left), .int64List(let right)): left == right
        case (.doubleList(let left), .doubleList(let right)): left.map(\.bitPattern) == right.map(\.bitPattern)
        case (.timestampList(let left), .timestampList(let right)): left == right
        case (.bytesList(let left), .bytesList(let right)): left == right
        case (.locationList(let left), .locationList(let right)): left == right
        case (.referenceList(let left), .referenceList(let right)): left == right
        case (.assetList(let left), .assetList(let right)): left == right
        case (.emptyList, .emptyList): true
        case (.other(let leftType, let left), .other(let rightType, let right)): leftType == rightType && left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        switch self {
        case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .int64(let value), .timestamp(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.bitPattern)
        case .bytes(let value): hasher.combine(value)
        case .location(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .asset(let value): hasher.combine(value)
        case .stringList(let list): for text in list { for byte in text.utf8 { hasher.combine(byte) } }
        case .int64List(let list), .timestampList(let list): hasher.combine(list)
        case .doubleList(let list): for value in list { hasher.combine(value.bitPattern) }
        case .bytesList(let list): hasher.combine(list)
        case .locationList(let list): hasher.combine(list)
        case .referenceList(let list): hasher.combine(list)
        case .assetList(let list): hasher.combine(list)
        case .emptyList: break
        case .other(_, let json): hasher.combine(json)
        }
    }
}
