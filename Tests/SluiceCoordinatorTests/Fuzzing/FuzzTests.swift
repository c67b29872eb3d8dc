import Foundation
import FuzzFixture
import SluiceRecords
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceCoordinator

/// Whatever bytes come by wire: they are read or refused, nothing falls over, and what is good afterwards still works. `Fuzzing` says for how long;
/// files of configuration and the real service as a process have suites of their own.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FuzzTests {
    @Test func `JSON is read or refused, and what was read says the same when it is written and read again`() async throws {
        try await Fuzzing.run("JSON", share: 0.1) { mutator in
            let bytes = mutator.spoiled(WireSamples.documents)
            let value: JSONValue
            do throws(WireError) { value = try JSONValue(parsing: Data(bytes)) } catch { return }
            let written = try value.encoded()
            let again = try JSONValue(parsing: written).encoded()
            #expect(again == written, "\(Fuzzing.text(bytes))")
        }
    }

    /// What is read, is written so that it says the same when it is read again. Elements that could not be read are answered, not written.
    private static func check<Value: WireEncodable & WireDecodable>(_: Value.Type, _ bytes: [UInt8]) throws {
        let value: Value
        do throws(WireError) { value = try Value(decoding: Data(bytes)) } catch { return }
        let written: Data
        // What cannot be said in JSON, an infinite number for one, is refused when it is written.
        do throws(WireError) { written = try value.encoded() } catch { return }
        #expect(try Value(decoding: written).encoded() == written, "\(Value.self) \(Fuzzing.text(bytes))")
    }

    @Test func `records, feeds, queries, tokens and merge metadata are read or refused`() async throws {
        var metadata = MergeMetadata()
        metadata.note(operation: 7, of: 1)
        let packed = [Array(metadata.encoded), [1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7, 1, 5, 1, 1, 97, 0, 0, 0, 0, 0, 0, 0, 1]]
        let tokens = [
            SyncToken(.zone, epoch: Epoch(rawValue: 1), origin: 3, sequence: 5, nonce: 2).text, ChangeTag(sequence: 5, nonce: 2).text,
            SyncToken(.database, epoch: Epoch(rawValue: 1), sequence: 5, nonce: 2).text,
        ].map { Array($0.utf8) }
        try await Fuzzing.run("records", share: 0.15) { mutator in
            let bytes = mutator.spoiled(WireSamples.documents)
            try Self.check(ModifyRequest.self, bytes)
            try Self.check(LookupRequest.self, bytes)
            try Self.check(RecordsResponse.self, bytes)
            try Self.check(ZoneChangesRequest.self, bytes)
            try Self.check(ZoneChangesResponse.self, bytes)
            try Self.check(DatabaseChangesRequest.self, bytes)
            try Self.check(DatabaseChangesResponse.self, bytes)
            try Self.check(ZonesModifyRequest.self, bytes)
            try Self.check(ZonesResponse.self, bytes)
            try Self.check(AssetUploadRequest.self, bytes)
            let name = RecordName(String(decoding: bytes.prefix(300), as: UTF8.self))
            #expect(RecordName(name.text) == name)
            if let read = MergeMetadata(encoded: Data(mutator.mutated(packed))) { #expect(MergeMetadata(encoded: read.encoded) == read) }
            let token = String(decoding: mutator.mutated(tokens), as: UTF8.self)
            if let tag = ChangeTag(text: token) { #expect(ChangeTag(text: tag.text) == tag, "\(token)") }
            for scope in [SyncToken.Scope.zone, .database] {
                // Refusing is as good as reading.
                guard let read = try? SyncToken(text: token, scope: scope) else { continue }
                #expect(try SyncToken(text: read.text, scope: scope) == read, "\(token)")
            }
        }
    }

    @Test(arguments: RecordedSyncTests.Engine.allCases)
    func `the record service answers whatever comes to its handler or its socket, never with an error of its own`(engine: RecordedSyncTests.Engine)
        async throws
    {
        try await FuzzedService.with(engine) { service in
            try await Fuzzing.run("the record service on \(engine.rawValue)", share: 0.15) { mutator in try await service.ask(&mutator) }
        }
    }

    @Test func `a control socket answers whatever comes, and never with 500`() async throws {
        let bodies = [
            #"{"entity":"Item","properties":{"title":"x","price":1.5}}"#, #"{"name":"A0000000-0000-4000-8000-000000000000"}"#,
            #"{"entity":"Item","filter":"title == \"x\"","order":"title","limit":3,"countOnly":false}"#, #"{"key":"a","value":1}"#, "{}",
        ].map { Array($0.utf8) }
        // Not those that wait until everything is in step.
        let paths = [
            "GET /v1/status", "GET /metrics", "POST /v1/put", "POST /v1/delete", "GET /v1/records/x", "POST /v1/query", "GET /v1/history?after=0&limit=5",
            "GET /v1/outbox?limit=5", "POST /v1/retry", "POST /v1/drop", "GET /v1/projection", "GET /v1/defaults", "POST /v1/defaults", "GET /v1/keyvalues",
        ]
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            try await fixture.run(plan) { account in
                _ = try await account.settle()
                let socket = RawSocket.Place.path(plan.stateDirectory + "/control.sock")
                try await Fuzzing.run("the control socket", share: 0.15) { mutator in
                    let good = WireSamples.message("\(mutator.pick(paths)) HTTP/1.1", mutator.reshaped(bodies))
                    let line = mutator.number(below: 2) == 0 ? good : mutator.mutated([good])
                    let status = try await RawSocket.status(of: line, at: socket)
                    #expect(status == nil || status != 500, "\(Fuzzing.text(line))")
                }
                #expect(try await RawSocket.status(of: WireSamples.message("GET /v1/status HTTP/1.1", []), at: socket, patience: 60_000) == 200)
            }
        }
    }
}
