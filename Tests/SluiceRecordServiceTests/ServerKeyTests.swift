import Foundation
import SluiceDigest
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Requests that a server-to-server key signs, over TLS. The signatures come from the `openssl` program: a client that is not ours.
@Suite(.timeLimit(.minutes(10))) struct ServerKeyTests {
    /// A key pair of the `openssl` program, and what it signs.
    private struct Signer {
        let folder: URL
        let identifier: String
        let publicPEM: String

        init(in folder: URL, _ name: String = "key") async throws {
            self.folder = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
            _ = try await Self.openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.folder.appendingPathComponent("private.pem").path])
            publicPEM = String(decoding: try await Self.openssl(["ec", "-in", self.folder.appendingPathComponent("private.pem").path, "-pubout"]), as: UTF8.self)
            let der = try await Self.openssl(["ec", "-in", self.folder.appendingPathComponent("private.pem").path, "-pubout", "-outform", "der"])
            identifier = Digest.sha256(der).hexadecimal
        }

        static func openssl(_ arguments: [String]) async throws -> Data {
            let ended = try await OutsideProgram.run("/usr/bin/openssl", arguments)
            try #require(ended.code == 0, "openssl \(arguments)")
            return ended.output
        }

        /// - Parameter hash: the middle part; the sum of `body` where nothing else is said.
        func headers(_ target: String, body: Data = Data(), hash: String? = nil, date: Date = Date()) async throws -> [HTTPHeader] {
            let date = date.formatted(.iso8601)
            let hash = hash ?? Digest.sha256(body).base64EncodedString()
            let message = folder.appendingPathComponent("message")
            try Data("\(date):\(hash):\(target)".utf8).write(to: message)
            let signature = try await Self.openssl(["dgst", "-sha256", "-sign", folder.appendingPathComponent("private.pem").path, message.path])
            return [
                // As Go's client spells them.
                HTTPHeader("X-Apple-Cloudkit-Request-Keyid", identifier), HTTPHeader("X-Apple-Cloudkit-Request-Iso8601date", date),
                HTTPHeader("X-Apple-Cloudkit-Request-Signaturev1", signature.base64EncodedString()),
            ]
        }

        func add(to fixture: ServiceFixture, user: String = "ann", expires: Int64? = nil) async throws {
            let key = try VerificationKey(pem: publicPEM)
            #expect(key.identifier.hexadecimal == identifier)
            try await fixture.storage.addToken(
                NewToken(
                    .serverKey(publicKey: key.der, user: user, holder: "program"), digest: key.identifier, container: fixture.path.container,
                    environment: fixture.path.environment, expires: expires))
        }
    }

    private static func run(_ configuration: ServiceConfiguration = ServiceConfiguration(), _ body: (ServiceFixture, Signer) async throws -> Void) async throws {
        try await ServiceFixture.run(configuration) { fixture in
            let signer = try await Signer(in: fixture.folder)
            try await signer.add(to: fixture)
            try await body(fixture, signer)
        }
    }

    @Test func `a signed request reads and writes the private database of the key's user, in every form that clients sign`() async throws {
        try await Self.run { fixture, signer in
            try await fixture.makeZone()
            let caller = fixture.path.path(of: .usersCaller)
            // A GET without a body: its sum, or nothing; the target with its query, or without.
            for (target, signed, hash) in [
                (caller, caller, nil), (caller, caller, ""), ("\(caller)?clientId=1", "\(caller)?clientId=1", ""), ("\(caller)?clientId=1", caller, nil),
            ] as [(String, String, String?)] {
                let answer = try await fixture.send(.get, target, headers: signer.headers(signed, hash: hash))
                #expect(answer.status == 200, "\(target) \(signed) \(hash ?? "sum")")
            }
            // The newline counts, as in one client's bodies.
            let body = Data((#"{"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"create","record":{"recordName":"k","recordType":"N"}}]}"# + "\n").utf8)
            let target = fixture.path.path(of: .recordsModify)
            let written = try await fixture.send(.post, target, headers: signer.headers(target, body: body), body: body)
            #expect(try written.decoded(RecordsResponse.self).records[0].error == nil)
            let seen = try await fixture.foreign(.recordsLookup, #"{"records":[{"recordName":"k"}],"zoneID":{"zoneName":"Notes"}}"#)
            let record = try #require(try seen.decoded(RecordsResponse.self).records[0].record)
            #expect(record.created?.deviceID == "program")
        }
    }

    @Test func `a signature that is wrong in anything is refused without a reason, which only the log has`() async throws {
        try await Self.run { fixture, signer in
            let target = fixture.path.path(of: .zonesList)
            let body = Data("{}".utf8)
            let stranger = try await Signer(in: fixture.folder, "stranger")
            var production = fixture.path
            production.environment = .production
            let elsewhere = production.path(of: .zonesList)
            let good = try await signer.headers(target, body: body)
            let cases: [(what: String, target: String, headers: [HTTPHeader], body: Data, reason: String)] = [
                ("altered body", target, good, Data("{ }".utf8), "does not sign"),
                ("another endpoint", fixture.path.path(of: .usersCaller), good, body, "does not sign"),
                ("no body in the sum", target, try await signer.headers(target, body: body, hash: ""), body, "does not sign"),
                ("early clock", target, try await signer.headers(target, body: body, date: Date() - 630), body, "s behind the clock"),
                ("late clock", target, try await signer.headers(target, body: body, date: Date() + 630), body, "s behind the clock"),
                ("unknown key", target, try await stranger.headers(target, body: body), body, "unknown"),
                ("another's signature", target, [good[0], good[1], try await stranger.headers(target, body: body)[2]], body, "does not sign"),
                ("no signature", target, [good[0], good[1]], body, "base64"), ("no date", target, [good[0], good[2]], body, "a date like"),
                ("no key", target, [HTTPHeader("X-Apple-CloudKit-Request-KeyID", "é"), good[1], good[2]], body, "unknown"),
                ("a token beside", target, good + [HTTPHeader("Authorization", "Bearer \(fixture.userToken.text)")], body, "carries no token"),
                ("an API token beside", "\(target)?ckAPIToken=\(fixture.apiToken.text)", good, body, "carries no token"),
                ("another environment", elsewhere, try await signer.headers(elsewhere, body: body), body, "of another container or environment"),
            ]
            for (what, target, headers, body, reason) in cases {
                let answer = try await fixture.send(.post, target, headers: headers, body: body)
                #expect(answer.status == 401, "\(what)")
                #expect(try answer.code == "AUTHENTICATION_FAILED" && answer.json.string("reason") == "Authentication failed", "\(what)")
                #expect(fixture.lines.all.last?.contains(reason) == true, "\(what): \(fixture.lines.all.last ?? "")")
                #expect(fixture.lines.all.last?.contains("?") == false, "\(what)")
            }
            #expect(try await fixture.send(.post, target, headers: good, body: body).status == 200)
            // Ten minutes on, the same request is worth nothing.
            fixture.ahead.add(minutes: 11)
            #expect(try await fixture.send(.post, target, headers: good, body: body).status == 401)
        }
    }

    @Test func `a key reaches its own user's private database and no other`() async throws {
        try await ServiceFixture.run { fixture in
            let signer = try await Signer(in: fixture.folder)
            try await signer.add(to: fixture, user: "bob")
            try await fixture.makeZone()
            _ = try await fixture.write([RecordOperation(.create, Record("secret", type: "N"))])
            let target = fixture.path.path(of: .recordsLookup)
            let body = Data(#"{"records":[{"recordName":"secret"}],"zoneID":{"zoneName":"Notes"}}"#.utf8)
            let answer = try await fixture.send(.post, target, headers: signer.headers(target, body: body), body: body)
            #expect(try answer.code == "ZONE_NOT_FOUND" && !answer.text.contains("secret"))
            for scope in [DatabaseScope.public, .shared] {
                var path = fixture.path
                path.scope = scope
                let target = path.path(of: .recordsLookup)
                let refused = try await fixture.send(.post, target, headers: signer.headers(target, body: body), body: body)
                #expect(refused.status == 400)
                #expect(refused.text.contains("endpoint not applicable in the database type"))
            }
        }
    }

    @Test func `a key ends when it is revoked or its time is over, and is no token`() async throws {
        try await ServiceFixture.run { fixture in
            let signer = try await Signer(in: fixture.folder)
            try await signer.add(to: fixture, expires: StorageEnvironment.system.now() - 1)
            await #expect(throws: StorageError.self) { try await signer.add(to: fixture, user: "bob") }
            let target = fixture.path.path(of: .usersCaller)
            #expect(try await fixture.send(.get, target, headers: signer.headers(target)).status == 401)
            let other = try await Signer(in: fixture.folder, "other")
            try await other.add(to: fixture)
            #expect(try await fixture.send(.get, target, headers: other.headers(target)).status == 200)
            let id = try #require(await fixture.storage.tokens().last { $0.keyIdentifier?.hexadecimal == other.identifier }).id
            #expect(try await fixture.storage.revokeToken(id: id))
            #expect(try await fixture.send(.get, target, headers: other.headers(target)).status == 401)
        }
    }

    @Test func `each key has a rate of its own, and an operation id has its effect once under it`() async throws {
        var configuration = ServiceConfiguration()
        (configuration.rate, configuration.burst) = (0.001, 3)
        try await Self.run(configuration) { fixture, signer in
            let target = fixture.path.path(of: .recordsModify)
            let body = Data(#"{"operations":[{"operationType":"create","record":{"recordName":"k","recordType":"N"}}]}"#.utf8)
            let headers = try await signer.headers(target, body: body) + [HTTPHeader(SluiceHeader.idempotencyKey, "op")]
            var answers: [ServiceFixture.Answer] = []
            for _ in 0..<4 { answers.append(try await fixture.send(.post, target, headers: headers, body: body)) }
            #expect(answers.map(\.status) == [200, 200, 200, 429])
            #expect(answers[0].header(SluiceHeader.replayed) == nil && answers[1].header(SluiceHeader.replayed) == "1")
            #expect(try await fixture.send(.get, fixture.path.path(of: .usersCaller), headers: fixture.sluiceHeaders()).status == 200)
        }
    }

    @Test func `keys of other kinds and texts that are no keys are refused`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-keys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let signer = try await Signer(in: folder)
        let path = folder.appendingPathComponent("other.pem").path
        _ = try await Signer.openssl(["ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", path])
        let locked = folder.appendingPathComponent("locked.pem").path
        _ = try await Signer.openssl(["ec", "-in", folder.appendingPathComponent("key/private.pem").path, "-aes128", "-passout", "pass:secret", "-out", locked])
        for file in [path, locked] {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(throws: KeyError.self) { _ = try SigningKey(pem: text) }
        }
        #expect(throws: KeyError.self) { _ = try SigningKey(pem: signer.publicPEM) }
        #expect(throws: KeyError.self) { _ = try VerificationKey(pem: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n") }
        let key = try SigningKey()
        let message = Data("m".utf8)
        let signature = try key.signature(of: message)
        #expect(key.verificationKey.accepts(signature, of: message) && !key.verificationKey.accepts(signature, of: Data("n".utf8)))
        #expect(!key.verificationKey.accepts(Data(), of: message))
        let again = try SigningKey(pem: try key.pem())
        #expect(again.verificationKey == key.verificationKey)
        // One spelling per key, whatever form its point has in the file.
        let compressed = String(decoding: try await Signer.openssl(["ec", "-in", folder.appendingPathComponent("key/private.pem").path, "-pubout", "-conv_form", "compressed"]), as: UTF8.self)
        let keys = (try VerificationKey(pem: compressed), try VerificationKey(pem: signer.publicPEM))
        #expect(keys.0 == keys.1 && compressed != signer.publicPEM)
    }
}
