import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// The service over TLS, as clients of the dialect and of Sluice see it.
@Suite struct RecordServiceTests {
    @Test func `who may come in, and what the others are told`() async throws {
        try await ServiceFixture.run { fixture in
            let path = fixture.path.path(of: .usersCaller)
            let none = try await fixture.send(.get, path)
            #expect(none.status == 401)
            #expect(try none.code == "AUTHENTICATION_FAILED")
            let apiOnly = try await fixture.send(.get, "\(path)?ckAPIToken=\(fixture.apiToken.text)")
            #expect(apiOnly.status == 421)
            #expect(try apiOnly.code == "AUTHENTICATION_REQUIRED")
            #expect(try apiOnly.json.string("redirectURL")?.hasSuffix("/sign-in") == true)
            for parameter in ["ckWebAuthToken", "ckSession"] {
                let answer = try await fixture.send(.get, "\(path)?ckAPIToken=\(fixture.apiToken.text)&\(parameter)=\(fixture.userToken.text)")
                #expect(answer.status == 200)
                #expect(answer.header(SluiceHeader.webAuthToken) == fixture.userToken.text)
                #expect(answer.header(SluiceHeader.session) == fixture.userToken.text)
                let caller = try answer.decoded(CallerResponse.self)
                #expect(caller.userRecordName.hasPrefix("_") && caller.epoch == nil && caller.limits == nil)
                #expect(try answer.json.list("users") { json throws(WireError) in try json.asObject().requiredString("userRecordName") } == [caller.userRecordName])
            }
            let bearer = try await fixture.send(.get, path, headers: fixture.sluiceHeaders())
            let epoch = fixture.storage.epoch
            #expect(try bearer.decoded(CallerResponse.self).epoch == epoch)
            #expect(try bearer.decoded(CallerResponse.self).limits == ServiceLimits(operations: 2_000, bytes: 8 << 20))
            var production = fixture.path
            production.environment = .production
            #expect(try await fixture.send(.get, "\(production.path(of: .usersCaller))?ckAPIToken=\(fixture.apiToken.text)").status == 401)
            #expect(try await fixture.send(.get, production.path(of: .usersCaller), headers: fixture.sluiceHeaders()).status == 421)
        }
    }

    @Test func `a bearer's token is found in any case and with blanks around it, and no other scheme is taken for one`() async throws {
        try await ServiceFixture.run { fixture in
            let path = fixture.path.path(of: .usersCaller)
            let token = fixture.userToken.text
            let expected = [
                "Bearer \(token)": 200, "bearer \(token)": 200, "BEARER  \t\(token) \t": 200, "Bearer \(token.lowercased().uppercased())": 421, "Bearer x": 421,
                "Bearer\(token)": 401, "Basic \(token)": 401, token: 401, "Bearer": 401,
            ]
            for (value, status) in expected {
                let answer = try await fixture.send(.get, path, headers: [HTTPHeader("Authorization", value)])
                #expect(answer.status == status, "\(value.prefix(8))")
            }
        }
    }

    @Test func `a revoked token is out at once, with 421 also for its rotation`() async throws {
        try await ServiceFixture.run { fixture in
            let id = try #require(await fixture.storage.tokens().first { $0.user == "ann" }).id
            #expect(try await fixture.storage.revokeToken(id: id))
            #expect(try await fixture.storage.revokeToken(id: id) == false)
            #expect(try await fixture.send(.get, fixture.path.path(of: .usersCaller), headers: fixture.sluiceHeaders()).status == 421)
        }
    }

    @Test func `a client of the dialect gets full records, in Apple's form, with its habits tolerated`() async throws {
        try await ServiceFixture.run { fixture in
            let listed = try await fixture.foreign(.zonesList, "{}", headers: [HTTPHeader("Content-Type", "text/plain")])
            #expect(try listed.decoded(ZonesResponse.self).zones.count == 1)
            let created = try await fixture.foreign(.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#)
            #expect(created.status == 200)
            let body = #"""
                {"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"create","recordType":"Note","record":{"recordName":"A1",
                "recordType":"Note","deleted":false,"pluginFields":{},"fields":{"title":{"value":"hi"},"n":{"value":9007199254740993}}}}]}
                """#
            let record = try #require(try await fixture.foreign(.recordsModify, body).decoded(RecordsResponse.self).records[0].record)
            #expect(record.fields == ["title": Field(.string("hi")), "n": Field(.int64(9_007_199_254_740_993))])
            #expect(record.zoneID?.zoneName == "Notes" && record.changeTag != nil && record.created?.timestamp == record.modified?.timestamp)
            let deleted = try await fixture.foreign(
                .recordsModify, #"{"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"forceDelete","record":{"recordName":"A1"}}]}"#)
            #expect(try JSONValue(parsing: deleted.body).asObject().list("records") { json throws(WireError) in try json.asObject().members.map(\.key) } == [["recordName", "deleted", "zoneID"]])
            let feed = try await fixture.foreign(.recordsChanges, #"{"zoneID":{"zoneName":"Notes"}}"#)
            #expect(try feed.json.boolean("moreComing") == false)
            #expect(try feed.json.string("epoch") == nil)
            let path = "\(fixture.path.path(of: .usersCurrent))?ckAPIToken=\(fixture.apiToken.text)&ckSession=\(fixture.userToken.text)"
            #expect(try await fixture.send(.get, path).status == 200)
        }
    }

    @Test func `desired keys and numbers as text`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            _ = try await fixture.write([RecordOperation(.create, Record("r", type: "N", fields: ["a": Field(.int64(1)), "b": Field(.double(2))]))])
            let body = #"{"records":[{"recordName":"r"},{"recordName":"x"}],"zoneID":{"zoneName":"Notes"},"desiredKeys":["b"],"numbersAsStrings":true}"#
            let answer = try await fixture.foreign(.recordsLookup, body)
            #expect(answer.text.contains(#""fields":{"b":{"value":"2.0","type":"DOUBLE"}}"#))
            #expect(try answer.decoded(RecordsResponse.self).records[1].error?.code == .notFound)
            let feed = try await fixture.foreign(.zoneChanges, #"{"numbersAsStrings":true,"zones":[{"zoneID":{"zoneName":"Notes"},"desiredKeys":[]}]}"#)
            #expect(feed.text.contains(#""fields":{}"#))
        }
    }

    @Test func `field report 24: the answer is lost, the retry is told the same and marked as a replay`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let operations = (0..<5).map { RecordOperation(.create, Record("r\($0)", type: "N")) }
            let first = try await fixture.write(operations, id: "op-1")
            let second = try await fixture.write(operations, id: "op-1")
            #expect(first.header(SluiceHeader.replayed) == nil && second.header(SluiceHeader.replayed) == "1")
            #expect(first.body == second.body)
            #expect(try await fixture.feed().zones.count == 1)
            let other = try await fixture.write(Array(operations.dropLast()), id: "op-1")
            #expect(other.status == 409)
            #expect(try other.code == "OPERATION_ID_REUSED")
        }
    }

    @Test func `field report R7: one bad record of an atomic batch is named, alone the others pass`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let bad = RecordOperation(.update, Record("parent", changeTag: "1.1.0000000000000000"))
            let child = RecordOperation(.create, Record("child", type: "N"))
            let answer = try await fixture.write([bad, child])
            #expect(answer.status == 200)
            #expect(try answer.decoded(RecordsResponse.self).records.map { $0.error?.code } == [.notFound, .atomicError])
            #expect(try await fixture.write([child]).decoded(RecordsResponse.self).records[0].error == nil)
        }
    }

    @Test func `field report 27: limits are told apart for each kind of client, and one oversized record fails alone`() async throws {
        var configuration = ServiceConfiguration()
        configuration.limits = ServiceLimits(operations: 300, bytes: 3_000_000)
        try await ServiceFixture.run(configuration) { fixture in
            try await fixture.makeZone()
            let deletes = { (count: Int) in (0..<count).map { RecordOperation(.forceDelete, Record("r\($0)")) } }
            #expect(try await fixture.write(deletes(300)).status == 200)
            let over = try await fixture.write(deletes(301))
            #expect(over.status == 413)
            #expect(try over.code == "LIMIT_EXCEEDED")
            #expect(try ServiceLimits(json: .object(over.json.requiredObject("limits"))) == configuration.limits)
            let foreign = try ModifyRequest(operations: deletes(201), zoneID: ZoneID("Notes")).encoded()
            let refused = try await fixture.foreign(.recordsModify, String(decoding: foreign, as: UTF8.self))
            #expect(refused.status == 400)
            #expect(try refused.code == "BAD_REQUEST")
            let big = RecordOperation(.create, Record("big", type: "N", fields: ["d": Field(.bytes(Data(count: 800_000)))]))
            let alone = try await fixture.sluice(
                .recordsModify,
                ModifyRequest(operations: [big, RecordOperation(.create, Record("small", type: "N"))], zoneID: ZoneID("Notes"), isAtomic: false))
            #expect(try alone.decoded(RecordsResponse.self).records.map { $0.error?.code } == [.limitExceeded, nil])
            let huge = try await fixture.send(.post, fixture.path.path(of: .recordsModify), headers: fixture.sluiceHeaders(), body: Data(count: 3_000_001))
            #expect(huge.status == 413)
            #expect(try huge.code == "LIMIT_EXCEEDED")
        }
    }

    @Test func `field report 28: a token that is no longer good says so in its zone's element`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let foreign = SyncToken(.zone, epoch: Epoch(rawValue: 1), sequence: 0, nonce: 0).text
            guard case .failure(_, let error) = try await fixture.feed(foreign).zones[0] else { return #expect(Bool(false)) }
            // No epoch: there is none that the token and this service have in common.
            #expect(error.code == .changeTokenExpired && error.epoch == nil)
            for (token, reason) in [("garbage", "Unknown sync continuation type"), (String(foreign.dropLast()), "Invalid continuation format"), (foreign, "Unknown sync continuation type")] {
                let answer = try await fixture.foreign(.zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"\#(token)"},{"zoneID":{"zoneName":"Gone"}}]}"#)
                #expect(answer.status == 200)
                let codes = try answer.decoded(ZoneChangesResponse.self).zones.map { element -> String in
                    guard case .failure(_, let error) = element else { return "" }
                    return "\(error.code.rawValue) \(error.reason)"
                }
                #expect(codes == ["BAD_REQUEST \(reason)", "ZONE_NOT_FOUND Zone 'Gone' does not exist"])
            }
        }
    }

    @Test func `a long poll is answered at once when behind, by the next commit when not, and at the latest when the service stops`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let ask = { @Sendable (token: String?) in
                try await fixture.sluice(.databaseChanges, DatabaseChangesRequest(syncToken: token, waitSeconds: 50)).decoded(DatabaseChangesResponse.self)
            }
            let first = try await ask(nil)
            #expect(first.zones.map(\.zoneID.zoneName) == ["Notes"])
            async let waiting = ask(first.syncToken)
            _ = try await fixture.write([RecordOperation(.create, Record("r", type: "N"))])
            let second = try await waiting
            #expect(second.zones.map(\.zoneID.zoneName) == ["Notes"] && second.syncToken != first.syncToken)
            async let last = ask(second.syncToken)
            while !fixture.lines.all.contains(where: { $0.contains("records/modify") }) { await Task.yield() }
            await fixture.server.stop(within: .seconds(2))
            // Either it was answered with nothing new, or it came too late to be taken.
            if let answer = try? await last { #expect(answer.zones == []) }
        }
    }

    @Test func `a long poll that is woken by word of what it knows already goes on waiting`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let ask = { @Sendable (token: String?) in
                try await fixture.sluice(.databaseChanges, DatabaseChangesRequest(syncToken: token, waitSeconds: 50)).decoded(DatabaseChangesResponse.self)
            }
            let first = try await ask(nil)
            let caller = try #require(await fixture.storage.caller(digest: fixture.userToken.digest, for: fixture.path))
            async let waiting = ask(first.syncToken)
            while !fixture.storage.signal.isWatched(caller.database) { await Task.yield() }
            while try await !fixture.send(.get, "/metrics").text.contains("sluice_long_polls 1") { await Task.yield() }
            fixture.storage.signal.notify([caller.database])
            _ = try await fixture.write([RecordOperation(.create, Record("r", type: "N"))])
            #expect(try await waiting.zones.map(\.zoneID.zoneName) == ["Notes"])
            #expect(try await fixture.send(.get, "/metrics").text.contains("sluice_long_polls 0"))
        }
    }

    @Test func `too many requests are told when to come back, in the body and the header`() async throws {
        var configuration = ServiceConfiguration()
        configuration.rate = 0.01
        configuration.burst = 3
        try await ServiceFixture.run(configuration) { fixture in
            for _ in 0..<3 { #expect(try await fixture.sluice(.zonesList, DatabaseChangesRequest()).status == 200) }
            let answer = try await fixture.sluice(.zonesList, DatabaseChangesRequest())
            #expect(answer.status == 429)
            #expect(try answer.code == "THROTTLED")
            let seconds = try #require(try answer.json.integer("retryAfter"))
            #expect(answer.header("Retry-After") == "\(seconds)" && (1...100).contains(seconds))
        }
    }

    @Test func `what is not served says so`() async throws {
        try await ServiceFixture.run { fixture in
            for scope in [DatabaseScope.public, .shared] {
                let answer = try await fixture.foreign(.recordsLookup, #"{"records":[]}"#, scope: scope)
                #expect(answer.status == 400)
                #expect(try answer.json.string("reason") == "endpoint not applicable in the database type '\(scope.rawValue)db'")
            }
            let unknown = fixture.path.path(of: .recordsLookup).replacingOccurrences(of: "lookup", with: "resolve")
            #expect(try await fixture.send(.post, unknown, body: Data("{}".utf8)).status == 404)
            #expect(try await fixture.send(.get, "/nowhere").status == 404)
            let atomic = try await fixture.foreign(.recordsModify, #"{"atomic":true,"operations":[]}"#)
            #expect(try atomic.json.string("reason") == "atomic operations not supported in default zone")
            let feed = try await fixture.foreign(.zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"_defaultZone"}}]}"#)
            #expect(feed.text.contains("cannot get changes in default zone"))
        }
    }

    @Test func `health, metrics and a log without queries or tokens`() async throws {
        try await ServiceFixture.run { fixture in
            #expect(try await fixture.send(.get, "/healthz").text == "ok\n")
            #expect(try await fixture.send(.get, "/readyz").status == 200)
            _ = try await fixture.foreign(.zonesList, "{}")
            let metrics = try await fixture.send(.get, "/metrics").text
            #expect(metrics.contains(#"sluice_requests_total{endpoint="zones/list",status="200"} 1"#))
            #expect(metrics.contains("sluice_databases 2"))
            let log = fixture.lines.all.joined(separator: "\n")
            #expect(log.contains("<6>POST /database/1/iCloud.test/development/private/zones/list 200"))
            for secret in [fixture.apiToken.text, fixture.userToken.text, "ckAPIToken", "?"] { #expect(!log.contains(secret)) }
        }
    }
}
