import Foundation
import Testing

@testable import SluiceHTTPServer

/// gzip, undone piece by piece and made.
@Suite struct ContentCodingTests {
    /// What the `gzip` program makes of bytes.
    private func gzip(_ bytes: Data) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-gzip-\(UUID().uuidString)")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-c", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return data
    }

    /// - Parameter limit: the taker wants no more than that.
    private func decoded(_ bytes: Data, pieces: Int, limit: Int = .max) throws -> (bytes: Data, state: GzipDecoder.State) {
        let decoder = try #require(GzipDecoder())
        var taken = Data()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            Data(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes { piece in
                decoder.decode(piece) { unpacked in
                    taken.append(contentsOf: unpacked)
                    return taken.count <= limit
                }
            }
        }
        return (taken, decoder.state)
    }

    @Test(arguments: [1, 7, 1_000_000]) func `a stream unpacks to what was packed, in whatever pieces it comes`(pieces: Int) throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 300 ^ $0) })
        let packed = try gzip(bytes)
        let whole = try decoded(packed, pieces: pieces)
        #expect(whole.bytes == bytes && whole.state == .finished)
        // Several streams in a row are one (RFC 1952, section 2.2).
        let two = try decoded(packed + packed, pieces: pieces)
        #expect(two.bytes == bytes + bytes && two.state == .finished)
    }

    @Test func `what is broken is never taken for whole`() throws {
        let packed = try gzip(Data("some text that is packed".utf8))
        #expect(try decoded(packed.dropLast(), pieces: 5).state == .open)
        #expect(try decoded(packed + Data([1]), pieces: 5).state != .finished)
        #expect(try decoded(Data("no gzip at all".utf8), pieces: 5).state == .malformed)
        for index in packed.indices.suffix(8) {
            var changed = packed
            // The checksum and the length at the end.
            changed[index] ^= 0x40
            #expect(try decoded(changed, pieces: 100).state == .malformed)
        }
    }

    @Test func `a stream that unpacks to a thousand times its size is left at the limit`() throws {
        let packed = try gzip(Data(count: 50_000_000))
        #expect(packed.count < 60_000)
        let (bytes, state) = try decoded(packed, pieces: 1_000_000, limit: 100_000)
        #expect(state == .stopped && bytes.count <= 100_000 + 16 << 10)
    }

    @Test(arguments: [
        ("gzip", true), ("br, gzip;q=0.5", true), ("GZIP", true), ("x-gzip", true), ("*", true), ("", false), ("identity", false), ("gzip;q=0", false),
        ("*;q=0", false), ("*, gzip;q=0", false), ("gzip; q=0.0", false),
    ])
    func `a reader says whether it takes gzip`(text: String, accepts: Bool) { #expect(HTTPResponse.acceptsGzip(text) == accepts) }
}
