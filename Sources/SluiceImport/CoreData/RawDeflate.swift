import CZlib
import Foundation

/// DEFLATE without zlib's header, as `Z_MODELCACHE` holds it.
enum RawDeflate {
    /// - Parameter byteCountMax: a small input can unpack to a thousand times its size; more than this is refused.
    static func inflate(_ input: Data, byteCountMax: Int) throws(ModelFault) -> Data {
        var stream = z_stream()
        // A negative window size means that no header is expected (zlib.h, inflateInit2).
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw .notDeflate }
        defer { inflateEnd(&stream) }
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var code = Z_OK
        var input = [UInt8](input)
        input.withUnsafeMutableBufferPointer { bytes in
            stream.next_in = bytes.baseAddress
            stream.avail_in = UInt32(bytes.count)
            while code == Z_OK, output.count <= byteCountMax {
                chunk.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(buffer.count)
                    code = CZlib.inflate(&stream, Z_NO_FLUSH)
                    output.append(buffer.baseAddress!, count: buffer.count - Int(stream.avail_out))
                }
            }
        }
        guard output.count <= byteCountMax else { throw .tooLarge(byteCountMax: byteCountMax) }
        guard code == Z_STREAM_END else { throw .notDeflate }
        return output
    }
}
