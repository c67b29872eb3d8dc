import CZlib

/// Undoes gzip (RFC 1952) piece by piece: what a small stream unpacks to is never in memory as a whole, and its taker may end it at any piece.
///
/// `@unchecked`: used on the thread of its connection only, one piece after the other.
final class GzipDecoder: @unchecked Sendable {
    enum State {
        /// Nothing came yet, or the stream goes on.
        case open
        /// The stream is whole; another may follow it (section 2.2).
        case finished
        case malformed
        /// The taker wanted no more.
        case stopped
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 << 10)
    private(set) var state = State.open

    /// Nil without memory for it.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 above the window's size means that gzip's header is expected and its checksum is compared (zlib.h, inflateInit2).
        guard inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// - Parameter take: gets what the bytes unpack to, 16 KiB at most at a time; false ends it.
    func decode(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool) {
        // zlib reads the input and does not change it; its type says otherwise.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            if state == .finished {
                guard stream.pointee.avail_in > 0 else { return }
                inflateReset(stream)
                state = .open
            }
            guard state == .open else { return }
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            let code = inflate(stream, Z_NO_FLUSH)
            guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else {
                state = .malformed
                return
            }
            let count = output.count - Int(stream.pointee.avail_out)
            guard count == 0 || take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<count])) else {
                state = .stopped
                return
            }
            if code == Z_STREAM_END { state = .finished }
        } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    }
}
