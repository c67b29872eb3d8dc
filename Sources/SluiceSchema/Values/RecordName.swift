public import FoundationEssentials

/// The identity of a record, on this device, in the service and on every other device.
///
/// A canonical UUID is kept as its 16 bytes and compares as such, whatever case it was written in; it is written in upper case. Any other name
/// is kept verbatim (CloudKit allows 255 ASCII characters).
public enum RecordName: Hashable, Sendable {
    case uuid(UUID)
    case text(String)

    public init(_ text: String) {
        if let uuid = UUIDText.uuid(text) {
            self = .uuid(uuid)
        } else {
            self = .text(text)
        }
    }

    /// The name on the wire.
    public var text: String {
        switch self {
        case .uuid(let uuid): UUIDText.text(of: uuid)
        case .text(let text): text
        }
    }
}

extension RecordName: Comparable, CustomStringConvertible {
    /// By wire text, so that every device picks the same one of two.
    public static func < (left: RecordName, right: RecordName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public var description: String { text }
}
