import Foundation
import SluiceFailpoints
import SluiceHTTPClient
import SluiceRecords
import Testing

/// `kill -9` of the service between an upload and the record that names it, and at every step of both. What was acknowledged is there; what was
/// not can be tried again; nothing is left that answers with an error.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AssetCrashTests {
    /// What one device does with one file, as far as the service lets it.
    private struct Device {
        let client: HTTPClient
        let installation: Installation
        let path = DatabasePath(container: Installation.container, environment: .development, scope: .private)
        let zone = ZoneID("Files")

        init(_ installation: Installation) throws {
            self.installation = installation
            var configuration = HTTPClientConfiguration()
            configuration.extraAuthoritiesFile = installation.path("certificates/ca.pem")
            client = try HTTPClient(configuration)
        }

        private func ask(_ endpoint: Endpoint, _ body: some WireEncodable) async throws -> Data {
            let url = "https://127.0.0.1:\(installation.port)\(path.path(of: endpoint))"
            let headers = [HTTPHeader("Authorization", "Bearer \(installation.tokens["a"] ?? "")"), HTTPHeader(SluiceHeader.client, "tests/1")]
            let response = try await client.send(HTTPClientRequest(.post, try #require(URL(string: url)), headers: headers, body: try body.encoded()))
            #expect(response.status == 200, "\(endpoint): \(String(decoding: response.body, as: UTF8.self))")
            return response.body
        }

        func makeZone() async throws {
            _ = try await ask(.zonesModify, ZonesModifyRequest(operations: [ZoneOperation(.create, zone)]))
        }

        func upload(_ bytes: Data) async throws -> Asset {
            let place = AssetPlace(recordName: nil, recordType: "Photo", fieldName: "image")
            let answer = try AssetUploadResponse(decoding: try await ask(.assetsUpload, AssetUploadRequest([place], zoneID: zone)))
            let url = try #require(URL(string: answer.tokens[0].url))
            let response = try await client.send(HTTPClientRequest(.post, url, headers: [], body: bytes))
            #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
            return try AssetReceipt(decoding: response.body).singleFile
        }

        func write(_ name: String, _ asset: Asset) async throws {
            let record = Record(name, type: "Photo", fields: ["image": Field(.asset(asset))])
            let answer = try RecordsResponse(
                decoding: try await ask(.recordsModify, ModifyRequest(operations: [RecordOperation(.forceUpdate, record)], zoneID: zone)))
            #expect(answer.records[0].error == nil, "\(String(describing: answer.records[0].error))")
        }

        func contents(_ name: String) async throws -> Data? {
            let answer = try RecordsResponse(decoding: try await ask(.recordsLookup, LookupRequest(recordNames: [name], zoneID: zone)))
            guard case .asset(let asset)? = answer.records[0].record?.fields["image"]?.value else { return nil }
            let url = try #require(asset.downloadURL.flatMap(URL.init(string:)))
            let response = try await client.send(HTTPClientRequest(.get, url, headers: [], body: nil))
            return response.status == 200 ? response.body : nil
        }
    }

    @Test func `a service killed anywhere between the bytes and the record keeps what it acknowledged`() async throws {
        try await Installation.with { installation in
            try installation.issueToken(for: "a")
            try await installation.startService()
            let device = try Device(installation)
            try await device.makeZone()
            let hits: [(Failpoint, [Int])] = [(.renaming, [1]), (.renamed, [1]), (.committing, [3, 4]), (.committed, [3, 4]), (.replying, [2, 3])]
            for (point, counts) in hits {
                for count in counts {
                    try await installation.stopService()
                    try await installation.startService(environment: ["SLUICE_FAILPOINT": "\(point.rawValue):\(count)"], mayDie: true)
                    let name = "\(point.rawValue)-\(count)"
                    let bytes = Data("the file of \(name)".utf8)
                    // Either may end without an answer: then nothing is known of it.
                    let receipt = try? await device.upload(bytes)
                    var isWritten = false
                    if let receipt {
                        do {
                            try await device.write(name, receipt)
                            isWritten = true
                        } catch { print("\(name): \(error)") }
                    }
                    let died = try await eventually(within: .seconds(10)) { installation.service?.isRunning == false }
                    #expect(died, "\(name) was not passed")
                    try await installation.stopService(SIGKILL)
                    try await installation.startService()
                    if isWritten { #expect(try await device.contents(name) == bytes, "\(name): acknowledged, and gone") }
                    if let receipt {
                        try await device.write(name, receipt)
                    } else {
                        try await device.write(name, try await device.upload(bytes))
                    }
                    #expect(try await device.contents(name) == bytes, "\(name)")
                    #expect(installation.service?.errorText.contains("<3>") == false)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: installation.path("records/assets/incoming")) == [])
        }
    }
}
