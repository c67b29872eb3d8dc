import Foundation
import SluiceDigest
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// gzip in and out, over TLS.
@Suite(.timeLimit(.minutes(10))) struct GzipTests {
    private let coded = HTTPHeader("Content-Encoding", "gzip")

    private func gzip(_ bytes: Data, _ fixture: ServiceFixture) async throws -> Data {
        let file = fixture.folder.appendingPathComponent("plain")
        try bytes.write(to: file)
        return try await OutsideProgram.run("/bin/gzip", ["-c", file.path]).output
    }

    @Test func `a packed request does what the plain one does, is its retry, and is signed as it travels`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let body = try ModifyRequest(operations: [RecordOperation(.create, Record("r", type: "N"))], zoneID: ZoneID("Notes")).encoded()
            let target = fixture.path.path(of: .recordsModify)
            let packed = try await gzip(body, fixture)
            let first = try await fixture.send(.post, target, headers: fixture.sluiceHeaders("op") + [coded], body: packed)
            #expect(try first.decoded(RecordsResponse.self).records[0].error == nil)
            let second = try await fixture.send(.post, target, headers: fixture.sluiceHeaders("op"), body: body)
            #expect(second.status == 200 && second.header(SluiceHeader.replayed) == "1")
            let key = try SigningKey()
            try await fixture.storage.addToken(
                NewToken(
                    .serverKey(publicKey: key.verificationKey.der, user: "ann", holder: "program"), digest: key.verificationKey.identifier,
                    container: fixture.path.container, environment: fixture.path.environment))
            let lookup = try LookupRequest(recordNames: ["r"], zoneID: ZoneID("Notes")).encoded()
            let travels = try await gzip(lookup, fixture)
            let path = fixture.path.path(of: .recordsLookup)
            for (signed, status) in [(travels, 200), (lookup, 401)] {
                let date = RequestSignature.date(milliseconds: StorageEnvironment.system.now())
                let signature = try key.signature(of: RequestSignature.message(date: date, bodyDigest: Digest.sha256(signed), target: path))
                let headers = [
                    HTTPHeader(SluiceHeader.requestKeyID, key.verificationKey.identifier.hexadecimal), HTTPHeader(SluiceHeader.requestDate, date),
                    HTTPHeader(SluiceHeader.requestSignature, signature.base64EncodedString()), coded,
                ]
                #expect(try await fixture.send(.post, path, headers: headers, body: travels).status == status)
            }
        }
    }

    @Test func `a bomb is too large, a broken stream is a bad request, and another coding is not known`() async throws {
        var configuration = ServiceConfiguration()
        configuration.limits = ServiceLimits(operations: 100, bytes: 1 << 20)
        configuration.assetBytes = 1 << 20
        try await ServiceFixture.run(configuration) { fixture in
            try await fixture.makeZone()
            let target = fixture.path.path(of: .zonesList)
            let headers = fixture.sluiceHeaders() + [coded]
            let bomb = try await gzip(Data(count: 200_000_000), fixture)
            #expect(bomb.count < 1 << 20)
            let tooLarge = try await fixture.send(.post, target, headers: headers, body: bomb)
            #expect(tooLarge.status == 413)
            #expect(try tooLarge.code == "LIMIT_EXCEEDED")
            let packed = try await gzip(Data("{}".utf8), fixture)
            for body in [packed.dropLast(3), packed + Data("more".utf8), Data("{}".utf8)] {
                let answer = try await fixture.send(.post, target, headers: headers, body: Data(body))
                #expect(answer.status == 400)
                #expect(try answer.code == "BAD_REQUEST")
            }
            let unknown = try await fixture.send(.post, target, headers: fixture.sluiceHeaders() + [HTTPHeader("Content-Encoding", "br")], body: packed)
            #expect(unknown.status == 415 && unknown.header("Accept-Encoding") == "gzip")
            #expect(try unknown.code == "BAD_REQUEST")
            let identity = try await fixture.send(.post, target, headers: fixture.sluiceHeaders() + [HTTPHeader("Content-Encoding", "identity")], body: Data("{}".utf8))
            #expect(identity.status == 200)
            // Files too, which go to disk as they come.
            let upload = { () async throws -> String in
                let body = #"{"zoneID":{"zoneName":"Notes"},"tokens":[{"recordName":"r","recordType":"Note","fieldName":"photo"}]}"#
                return try fixture.target(of: try await fixture.foreign(.assetsUpload, body).decoded(AssetUploadResponse.self).tokens[0].url)
            }
            let file = try await fixture.send(.post, upload(), headers: [coded], body: try await gzip(Data(count: 300_000), fixture))
            #expect(try file.decoded(AssetReceipt.self).singleFile.size == 300_000)
            #expect(try await fixture.send(.post, upload(), headers: [coded], body: bomb).status == 413)
            #expect(try await fixture.send(.post, upload(), headers: [coded], body: Data(packed.dropLast(3))).status == 400)
            #expect(try await fixture.send(.post, target, headers: fixture.sluiceHeaders(), body: Data("{}".utf8)).status == 200)
        }
    }

    @Test func `a long answer goes out packed to who takes that, and to nobody else`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            _ = try await fixture.write((0..<100).map { RecordOperation(.create, Record("record \($0)", type: "N", fields: ["n": Field(.int64(1))])) })
            // Our client asks for it, and unpacks.
            let packed = try await fixture.foreign(.recordsChanges, #"{"zoneID":{"zoneName":"Notes"}}"#)
            #expect(packed.header("Content-Encoding") == "gzip" && packed.header("Vary") == "Accept-Encoding")
            #expect(try packed.json.list("records") { $0 }?.count == 100)
            #expect(try await fixture.foreign(.zonesList, "{}").header("Content-Encoding") == nil)
            let url = "https://127.0.0.1:\(try #require(fixture.server.port))\(fixture.path.path(of: .recordsChanges))"
            let query = "?ckAPIToken=\(fixture.apiToken.text)&ckWebAuthToken=\(fixture.userToken.text)"
            let options = ["-s", "-i", "--cacert", fixture.folder.appendingPathComponent("ca.pem").path, "-d", #"{"zoneID":{"zoneName":"Notes"}}"#, url + query]
            let plain = String(decoding: try await OutsideProgram.run("/usr/bin/curl", options).output, as: UTF8.self)
            #expect(plain.contains("Vary: Accept-Encoding") && !plain.contains("Content-Encoding") && plain.contains("record 99"))
            let refused = String(decoding: try await OutsideProgram.run("/usr/bin/curl", ["-H", "Accept-Encoding: gzip;q=0, br"] + options).output, as: UTF8.self)
            #expect(!refused.contains("Content-Encoding") && refused.contains("record 99"))
        }
    }
}
