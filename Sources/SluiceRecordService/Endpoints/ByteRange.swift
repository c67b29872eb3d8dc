import SluiceHTTPServer

/// Which part of a file a request wants (RFC 9110, section 14).
///
/// One range is served. Several, other units and what is no range are passed over, and the file goes whole, as the section allows: what a broken
/// download needs is its rest.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    /// Nothing of the range is in the file.
    case unsatisfiable

    /// - Parameters:
    ///   - tag: the file's entity tag; another one in `If-Range` means that the beginning was of another file.
    init(_ request: HTTPRequest, byteCount: Int, tag: String) {
        guard let text = request.headers["Range"], request.headers["If-Range"].map({ $0 == tag }) ?? true else {
            self = .whole
            return
        }
        self = Self.read(text, byteCount) ?? .whole
    }

    private static func read(_ text: String, _ byteCount: Int) -> ByteRange? {
        let prefix = "bytes="
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        let sides = text.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return nil }
        if sides[0].isEmpty {
            // The last bytes; more than there are is all of them.
            guard let count = Int(sides[1]) else { return nil }
            return count > 0 && byteCount > 0 ? .part(max(0, byteCount - count)..<byteCount) : .unsatisfiable
        }
        guard let first = Int(sides[0]) else { return nil }
        let last = sides[1].isEmpty ? Int.max - 1 : Int(sides[1])
        guard let last, first <= last else { return nil }
        return first < byteCount ? .part(first..<min(last + 1, byteCount)) : .unsatisfiable
    }
}
