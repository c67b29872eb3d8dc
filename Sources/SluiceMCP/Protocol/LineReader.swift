import FoundationEssentials
import Glibc

/// Lines of a descriptor, each at most so long.
final class LineReader {
    enum Line: Equatable {
        case text(Data)
        /// A line of more than `byteCountMax`, which was read to its end and thrown away.
        case tooLong
    }

    /// The longest request that anybody has a reason to send, many times over.
    static let byteCountMax = 1 << 20

    private let descriptor: Int32
    private var pending: [UInt8] = []
    /// Bytes of `pending` that are known to hold no line end.
    private var searched = 0
    private var isSkipping = false
    private var hasEnded = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for the next line; nil at the end of the input. A last line without an end is one.
    func next() -> Line? {
        while true {
            if let end = pending[searched...].firstIndex(of: 0x0A) {
                let line = pending[..<end]
                defer {
                    pending.removeFirst(end + 1)
                    searched = 0
                    isSkipping = false
                }
                return isSkipping || line.count > Self.byteCountMax ? .tooLong : .text(Data(line))
            }
            searched = pending.count
            if pending.count > Self.byteCountMax {
                isSkipping = true
                pending.removeAll(keepingCapacity: true)
                searched = 0
            }
            if hasEnded {
                guard isSkipping || !pending.isEmpty else { return nil }
                defer { (pending, searched, isSkipping) = ([], 0, false) }
                return isSkipping ? .tooLong : .text(Data(pending))
            }
            fill()
        }
    }

    private func fill() {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { pending.append(contentsOf: buffer[..<count]) } else if count == 0 || errno != EINTR { hasEnded = true }
        }
    }
}
