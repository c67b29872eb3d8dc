import Foundation
import SluiceHTTPClient
import SluiceHTTPServer
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Parts of files.
@Suite(.timeLimit(.minutes(10))) struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-10", .part(90..<100)), ("bytes=-1000", .part(0..<100)),
        ("bytes=50-1000", .part(50..<100)), ("Bytes=99-99", .part(99..<100)), ("bytes=100-", .unsatisfiable), ("bytes=100-200", .unsatisfiable),
        ("bytes=-0", .unsatisfiable), ("bytes=10-9", .whole), ("bytes=0-1,5-6", .whole), ("lines=0-1", .whole), ("bytes=", .whole), ("bytes=-", .whole),
        ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("bytes=+1-2", .whole), ("bytes=0-99999999999999999999", .whole), ("", .whole),
    ] as [(String, ByteRange)])
    func `a range of a file of 100 bytes`(text: String, range: ByteRange) {
        let request = { (more: HTTPHeaders) in
            var headers = more
            headers.append("Range", text)
            return HTTPRequest(method: "GET", target: "/", headers: headers)
        }
        #expect(ByteRange(request([:]), byteCount: 100, tag: #""a""#) == range)
        #expect(ByteRange(request(["If-Range": #""a""#]), byteCount: 100, tag: #""a""#) == range)
        for other in [#""b""#, #"W/"a""#, "Tue, 01 Dec 2026 00:00:00 GMT"] {
            #expect(ByteRange(request(["If-Range": other]), byteCount: 100, tag: #""a""#) == .whole)
        }
    }

    @Test func `an empty file has no part`() {
        for text in ["bytes=0-", "bytes=-1"] {
            #expect(ByteRange(HTTPRequest(method: "GET", target: "/", headers: ["Range": text]), byteCount: 0, tag: "") == .unsatisfiable)
        }
    }

    @Test func `a download that broke goes on where it ended, with another URL of the same file`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let zone = #""zoneID":{"zoneName":"Notes"}"#
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
            let tokens = try await fixture.foreign(.assetsUpload, #"{\#(zone),"tokens":[{"recordName":"r","recordType":"Note","fieldName":"f"}]}"#)
            let upload = try fixture.target(of: tokens.decoded(AssetUploadResponse.self).tokens[0].url)
            let receipt = try await fixture.send(.post, upload, body: bytes).decoded(AssetReceipt.self).singleFile
            let value = String(decoding: try receipt.encoded(), as: UTF8.self)
            let fields = #"{"f":{"value":\#(value),"type":"ASSETID"}}"#
            let body = #"{\#(zone),"operations":[{"operationType":"create","record":{"recordName":"r","recordType":"Note","fields":\#(fields)}}]}"#
            guard case .asset(let asset)? = try await fixture.foreign(.recordsModify, body).decoded(RecordsResponse.self).records[0].record?.fields["f"]?.value
            else { throw StorageError.unavailable("no asset") }
            let url = try #require(asset.downloadURL)
            let target = try fixture.target(of: url)
            let whole = try await fixture.send(.get, target)
            let tag = try #require(whole.header("ETag"))
            #expect(whole.status == 200 && whole.body == bytes && whole.header("Accept-Ranges") == "bytes" && tag == "\"\(asset.fileChecksum ?? "")\"")
            let part = try await fixture.send(.get, target, headers: [HTTPHeader("Range", "bytes=1000-1999"), HTTPHeader("If-Range", tag)])
            #expect(part.status == 206 && part.body == bytes[1_000..<2_000] && part.header("Content-Range") == "bytes 1000-1999/300000")
            #expect(part.header("Content-Length") == "1000" && part.header("Content-Encoding") == nil)
            let changed = try await fixture.send(.get, target, headers: [HTTPHeader("Range", "bytes=1000-1999"), HTTPHeader("If-Range", "\"other\"")])
            #expect(changed.status == 200 && changed.body == bytes)
            let beyond = try await fixture.send(.get, target, headers: [HTTPHeader("Range", "bytes=300000-")])
            #expect(beyond.status == 416 && beyond.body.isEmpty && beyond.header("Content-Range") == "bytes */300000")
            // A client that is not ours, with half of the file.
            let file = fixture.folder.appendingPathComponent("download")
            try bytes.prefix(123_456).write(to: file)
            let authority = fixture.folder.appendingPathComponent("ca.pem").path
            let ended = try await OutsideProgram.run("/usr/bin/curl", ["-s", "-f", "-C", "-", "--cacert", authority, "-o", file.path, url])
            #expect(ended.code == 0)
            #expect(try Data(contentsOf: file) == bytes)
            #expect(fixture.lines.all.contains { $0.contains("GET /files/download 206") })
        }
    }
}
