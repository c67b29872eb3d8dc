import CZlib
import Foundation

extension HTTPResponse {
    /// Below this many bytes the headers weigh more than what is saved.
    private static let compressedBytesMin = 1_024
    /// The fastest level: text shrinks to a fifth with it, and the next levels save little more for twice the time.
    private static let level: Int32 = 1

    /// The same answer in gzip, where its reader takes that and it is worth it.
    func compressed(for request: HTTPRequest) -> HTTPResponse {
        guard file == nil, headers["Content-Encoding"] == nil, let type = headers["Content-Type"],
            type.hasPrefix("application/json") || type.hasPrefix("text/"), body.count >= Self.compressedBytesMin
        else { return self }
        var response = self
        // Caches must not give one reader's form to another.
        response.headers.append("Vary", "Accept-Encoding")
        guard Self.acceptsGzip(request.headers["Accept-Encoding"] ?? ""), let smaller = Self.gzip(body), smaller.count < body.count else { return response }
        response.body = smaller
        response.headers.append("Content-Encoding", "gzip")
        return response
    }

    /// As RFC 9110, section 12.5.3, has it: a weight of 0 is a refusal.
    static func acceptsGzip(_ text: String) -> Bool {
        var anything = false
        for element in text.lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let coding = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if coding == "gzip" || coding == "x-gzip" { return weight > 0 }
            if coding == "*" { anything = weight > 0 }
        }
        return anything
    }

    /// Nil without memory for it.
    private static func gzip(_ body: Data) -> Data? {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var output = Data(count: Int(deflateBound(&stream, UInt(body.count))))
        let code = output.withUnsafeMutableBytes { output in
            body.withUnsafeBytes { input in
                // zlib reads the input and does not change it; its type says otherwise.
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        return code == Z_STREAM_END ? output.prefix(Int(stream.total_out)) : nil
    }
}
