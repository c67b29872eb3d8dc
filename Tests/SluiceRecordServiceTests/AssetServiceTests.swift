import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Files over TLS: where to upload, the bytes, the record that names them, the download.
@Suite struct AssetServiceTests {
    private let zone = #""zoneID":{"zoneName":"Notes"}"#

    private func uploadURL(_ fixture: ServiceFixture, as token: AccessToken? = nil) async throws -> String {
        let body = #"{\#(zone),"tokens":[{"recordName":"r","recordType":"Note","fieldName":"photo"}]}"#
        let answer = try await fixture.foreign(.assetsUpload, body, as: token)
        let tokens = try answer.decoded(AssetUploadResponse.self).tokens
        #expect(tokens.map(\.recordName) == ["r"] && tokens.map(\.fieldName) == ["photo"])
        return try fixture.target(of: tokens[0].url)
    }

    private func upload(_ fixture: ServiceFixture, _ bytes: Data, as token: AccessToken? = nil) async throws -> Asset {
        let answer = try await fixture.send(.post, try await uploadURL(fixture, as: token), body: bytes)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decoded(AssetReceipt.self).singleFile
    }

    private func write(
        _ fixture: ServiceFixture, _ name: String, _ asset: Asset, kind: String = "forceUpdate", as token: AccessToken? = nil
    ) async throws -> RecordResult {
        let value = String(decoding: try asset.encoded(), as: UTF8.self)
        let operation = #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)","recordType":"Note","fields":{"photo":{"value":\#(value),"type":"ASSETID"}}}}"#
        return try await fixture.foreign(.recordsModify, #"{\#(zone),"operations":[\#(operation)]}"#, as: token).decoded(RecordsResponse.self).records[0]
    }

    private func photo(_ result: RecordResult) throws -> Asset {
        guard case .asset(let asset)? = result.record?.fields["photo"]?.value else {
            throw StorageError.unavailable("no asset: \(result)")
        }
        return asset
    }

    private func download(_ fixture: ServiceFixture, _ asset: Asset) async throws -> ServiceFixture.Answer {
        try await fixture.send(.get, try fixture.target(of: try #require(asset.downloadURL)))
    }

    @Test func `a file goes up, into a record, and comes down through whatever answers with the record`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
            let receipt = try await upload(fixture, bytes)
            #expect(receipt.size == 300_000 && receipt.receipt != nil && receipt.wrappingKey != nil && receipt.referenceChecksum != nil)
            #expect(Data(base64Encoded: receipt.fileChecksum ?? "")?.count == 21)
            #expect(try await upload(fixture, bytes).fileChecksum == receipt.fileChecksum)
            let written = try photo(try await write(fixture, "r", receipt, kind: "create"))
            #expect(written.receipt == nil && written.wrappingKey == nil && written.fileChecksum == receipt.fileChecksum && written.size == 300_000)
            let lookup = try await fixture.foreign(.recordsLookup, #"{\#(zone),"records":[{"recordName":"r"}]}"#).decoded(RecordsResponse.self).records[0]
            let query = try await fixture.foreign(.recordsQuery, #"{\#(zone),"query":{"recordType":"Note"}}"#).decoded(RecordQueryResponse.self).records[0]
            guard case .changes(let feed) = try await fixture.feed().zones[0] else { return #expect(Bool(false)) }
            for result in [lookup, query, feed.records[0]] {
                let answer = try await download(fixture, try photo(result))
                #expect(answer.status == 200 && answer.body == bytes)
                #expect(answer.header("Content-Type") == "application/octet-stream" && answer.header("X-Content-Type-Options") == "nosniff")
            }
            let again = try photo(try await write(fixture, "r", try photo(lookup)))
            #expect(try await download(fixture, again).body == bytes)
            let log = fixture.lines.all.joined(separator: "\n")
            #expect(log.contains("GET /files/download 200") && log.contains("POST /files/upload 200"))
            for secret in ["ticket", written.downloadURL?.split(separator: "=").last.map(String.init) ?? "?", "?"] { #expect(!log.contains(secret)) }
            #expect(try await fixture.send(.get, "/metrics").text.contains(#"endpoint="files/upload",status="200"} 2"#))
        }
    }

    @Test func `an empty file is a file, and one that is too large is refused`() async throws {
        var configuration = ServiceConfiguration()
        configuration.assetBytes = 1 << 20
        configuration.limits = ServiceLimits(operations: 10, bytes: 1 << 16)
        try await ServiceFixture.run(configuration) { fixture in
            try await fixture.makeZone()
            #expect(try await download(fixture, try photo(try await write(fixture, "r", try await upload(fixture, Data())))).body == Data())
            #expect(try await upload(fixture, Data(count: 1 << 20)).size == 1 << 20)
            let large = try await fixture.send(.post, try await uploadURL(fixture), body: Data(count: 1 << 20 + 1))
            #expect(large.status == 413)
            // Without a ticket, a body is one like any other.
            #expect(try await fixture.send(.post, "/files/upload?ticket=x", body: Data(count: 1 << 16 + 1)).status == 413)
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path + "/assets/incoming") == [])
        }
    }

    @Test func `URLs have their time, and what is none opens nothing`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let url = try await uploadURL(fixture)
            let asset = try photo(try await write(fixture, "r", try await upload(fixture, Data("text".utf8))))
            fixture.ahead.add(minutes: 16)
            let late = try await fixture.send(.post, url, body: Data("text".utf8))
            #expect(late.status == 403)
            #expect(try late.code == "ACCESS_DENIED")
            #expect(try await download(fixture, asset).status == 200)
            fixture.ahead.add(minutes: 60)
            #expect(try await download(fixture, asset).status == 403)
            let download = try fixture.target(of: try #require(asset.downloadURL))
            for target in [
                "/files/download", "/files/download?ticket=", "/files/download?ticket=AAAA", "/files/upload", "/files/upload?ticket=%00",
                download.replacingOccurrences(of: "download", with: "upload"), url.replacingOccurrences(of: "upload", with: "download"),
                "/files/download?ticket=" + String(repeating: "A", count: 5_000),
            ] {
                for method in [HTTPClientRequest.Method.get, .post] {
                    #expect([400, 403].contains(try await fixture.send(method, target, body: method == .post ? Data([1]) : nil).status), "\(target)")
                }
            }
        }
    }

    @Test func `wrong checksums, receipts and bodies are refused with a reason, one record at a time`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let good = try await upload(fixture, Data("text".utf8))
            func altered(_ change: (inout Asset) -> Void) -> Asset {
                var asset = good
                change(&asset)
                return asset
            }
            let cases: [(Asset, String)] = [
                (altered { $0.fileChecksum = "AQ==" }, "checksums"), (altered { $0.size = 5 }, "checksums"), (altered { $0.referenceChecksum = "x" }, "checksums"),
                (altered { $0.receipt = "x" }, "receipt"), (altered { $0.receipt = String(repeating: "0", count: 32) }, "receipt"),
                (altered { $0.receipt = nil }, "receipt"), (Asset(), "receipt"),
            ]
            for (asset, reason) in cases {
                let error = try await write(fixture, "r", asset, kind: "create").error
                #expect(error?.code == .badRequest && error?.reason.contains(reason) == true, "\(error?.reason ?? "written")")
            }
            #expect(try await write(fixture, "r", good, kind: "create").error == nil)
            for body in ["{}", #"{"tokens":7}"#, #"{"tokens":[{}]}"#, #"{"tokens":[{"fieldName":"f"}]}"#, #"{"tokens":[{"fieldName":"f","recordType":"T","recordName":"_x"}]}"#] {
                #expect(try await fixture.foreign(.assetsUpload, body).status == 400, "\(body)")
            }
            let many = Array(repeating: #"{"fieldName":"f","recordType":"T"}"#, count: 201).joined(separator: ",")
            #expect(try await fixture.foreign(.assetsUpload, #"{"tokens":[\#(many)]}"#).status == 400)
            let gone = try await fixture.foreign(.assetsUpload, #"{"zoneID":{"zoneName":"Gone"},"tokens":[]}"#)
            #expect(try gone.code == "ZONE_NOT_FOUND")
            let generated = try await fixture.foreign(.assetsUpload, #"{"tokens":[{"fieldName":"f","recordType":"T"}]}"#).decoded(AssetUploadResponse.self)
            #expect(UUID(uuidString: generated.tokens[0].recordName) != nil)
        }
    }

    @Test func `a file is used again in another record without its bytes, and outlives the first`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let bytes = Data("text".utf8)
            _ = try await write(fixture, "r", try await upload(fixture, bytes))
            let body = #"{\#(zone),"assets":[{"recordName":"r","recordType":"Note","fieldName":"photo"},{"recordName":"x","fieldName":"photo"},{"recordName":"r","fieldName":"x"},{"fieldName":"photo"}]}"#
            let found = try await fixture.foreign(.assetsRereference, body).decoded(RereferenceResponse.self).assets
            guard case .asset(let asset) = found[0] else { return #expect(Bool(false), "\(found)") }
            for case .asset in found.dropFirst() { #expect(Bool(false)) }
            #expect(try await write(fixture, "s", asset).error == nil)
            _ = try await fixture.write([RecordOperation(.forceDelete, Record("r"))])
            fixture.ahead.add(minutes: 3 * 24 * 60)
            let lookup = try await fixture.foreign(.recordsLookup, #"{\#(zone),"records":[{"recordName":"s"}]}"#).decoded(RecordsResponse.self).records[0]
            #expect(try await download(fixture, try photo(lookup)).body == bytes)
        }
    }

    @Test func `files without records go after their time, with their bytes`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let unused = try await upload(fixture, Data("unused".utf8))
            let used = try photo(try await write(fixture, "r", try await upload(fixture, Data("used".utf8))))
            let environment = StorageEnvironment(now: { StorageEnvironment.system.now() + fixture.ahead.value }, random: StorageEnvironment.system.random)
            let collector = AssetCollector(storage: fixture.storage, store: fixture.assets, environment: environment, grace: .seconds(86_400))
            #expect(try await collector.collect() == 0)
            fixture.ahead.add(minutes: 25 * 60)
            #expect(try await collector.collect() == 1)
            #expect(try await collector.sweep() == 0)
            #expect(try await write(fixture, "s", unused).error?.reason.contains("upload it again") == true)
            let lookup = try await fixture.foreign(.recordsLookup, #"{\#(zone),"records":[{"recordName":"r"}]}"#).decoded(RecordsResponse.self).records[0]
            #expect(try await download(fixture, try photo(lookup)).text == "used")
            #expect(used.size == 4)
        }
    }

    @Test func `uploads count against the quota and the rate of their token`() async throws {
        var configuration = ServiceConfiguration()
        configuration.quota = 1_000
        configuration.rate = 0.001
        configuration.burst = 6
        try await ServiceFixture.run(configuration) { fixture in
            try await fixture.makeZone()  // 1
            let url = try await uploadURL(fixture)  // 2
            #expect(try await fixture.send(.post, url, body: Data(count: 600)).status == 200)  // 3
            let full = try await fixture.send(.post, url, body: Data(count: 600))  // 4
            #expect(full.status == 413)
            #expect(try full.code == "QUOTA_EXCEEDED")
            #expect(try await fixture.send(.post, url, body: Data(count: 10)).status == 200)  // 5
            #expect(try await fixture.send(.post, url, body: Data(count: 10)).status == 200)  // 6
            let slow = try await fixture.send(.post, url, body: Data(count: 10))
            #expect(slow.status == 429 && slow.header("Retry-After") != nil)
            let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.folder.path + "/assets").filter { $0.hasSuffix("") && $0.split(separator: "/").count == 3 }
            #expect(files.count == 3)
        }
    }

    @Test func `whatever a stranger tries with what is another user's, nothing is read, written or told`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let receipt = try await upload(fixture, Data("private".utf8))
            let mine = try photo(try await write(fixture, "r", receipt))
            let bob = fixture.strangerToken
            _ = try await fixture.foreign(.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#, as: bob)
            // With the receipt, with what a read shows, with the same bytes' checksums.
            for asset in [receipt, mine, Asset(fileChecksum: receipt.fileChecksum, size: receipt.size)] {
                let result = try await write(fixture, "r", asset, kind: "create", as: bob)
                #expect(result.error?.code == .badRequest, "\(result)")
            }
            let owner = try await fixture.foreign(.usersCaller, "{}").decoded(CallerResponse.self).userRecordName
            let named = #""zoneID":{"zoneName":"Notes","ownerRecordName":"\#(owner)"}"#
            let bodies: [(Endpoint, String)] = [
                (.assetsRereference, #"{"zoneID":{"zoneName":"Notes"},"assets":[{"recordName":"r","fieldName":"photo"}]}"#),
                (.assetsRereference, #"{\#(named),"assets":[{"recordName":"r","fieldName":"photo"}]}"#),
                (.assetsUpload, #"{\#(named),"tokens":[{"recordName":"r","recordType":"Note","fieldName":"photo"}]}"#),
                (.recordsLookup, #"{"zoneID":{"zoneName":"Notes"},"records":[{"recordName":"r"}]}"#), (.recordsLookup, #"{\#(named),"records":[{"recordName":"r"}]}"#),
                (.recordsQuery, #"{"zoneWide":true,"query":{"recordType":"Note"}}"#), (.recordsQuery, #"{\#(named),"query":{"recordType":"Note"}}"#),
                (.zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"Notes"}}]}"#), (.zoneChanges, #"{"zones":[{\#(named)}]}"#),
                (.recordsModify, #"{\#(named),"operations":[{"operationType":"forceDelete","record":{"recordName":"r"}}]}"#),
            ]
            for (endpoint, body) in bodies {
                let answer = try await fixture.foreign(endpoint, body, as: bob)
                for secret in [receipt.fileChecksum ?? "?", "downloadURL", "ticket"] { #expect(!answer.text.contains(secret), "\(endpoint) \(answer.text)") }
            }
            // Bob's own tickets open Bob's files only, whatever is put into them.
            let own = try photo(try await write(fixture, "own", try await upload(fixture, Data("bob".utf8), as: bob), as: bob))
            #expect(try await download(fixture, own).text == "bob")
            let (left, right) = (try fixture.target(of: own.downloadURL ?? ""), try fixture.target(of: mine.downloadURL ?? ""))
            for cut in stride(from: 24, to: min(left.utf8.count, right.utf8.count), by: 5) {
                let mixed = String(left.prefix(cut)) + String(right.dropFirst(cut))
                let answer = try await fixture.send(.get, mixed)
                #expect(mixed == left || mixed == right || answer.status == 403, "\(cut)")
            }
            #expect(try await download(fixture, mine).text == "private")
        }
    }

    @Test func `a service without a place for files says so`() async throws {
        let service = RecordService(ServiceConfiguration(), storage: try await StorageFixture(.sqlite).storage, log: ServiceLog { _ in })
        #expect(service.files == nil)
        let asset = Record("r", type: "T", fields: ["f": Field(.asset(Asset()))])
        #expect(RequestRules.refusal(of: asset, keepsAssets: false)?.reason.contains("send BYTES") == true)
        #expect(RequestRules.refusal(of: asset, keepsAssets: true) == nil)
    }
}
