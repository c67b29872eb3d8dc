import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// What records look like: learnt in development, fixed in production.
@Suite(.timeLimit(.minutes(10))) struct RecordTypeTests {
    @Test(arguments: StorageEngine.allCases)
    func `what is added stays, once, in a fixed order, and apart for each container and environment`(engine: StorageEngine) async throws {
        let fixture = try await StorageFixture(engine)
        let storage = fixture.storage
        let fields = [RecordField("B"), RecordField("A", "z", "STRING"), RecordField("A"), RecordField("A", "Z", "INT64")]
        try await storage.addRecordFields(fields, to: "c", .development)
        try await storage.addRecordFields([RecordField("A"), RecordField("A", "z", "DOUBLE")], to: "c", .development)
        #expect(try await storage.recordFields(of: "c", .development) == (fields + [RecordField("A", "z", "DOUBLE")]).sorted())
        #expect(try await storage.recordFields(of: "c", .production) == [])
        #expect(try await fixture.storage.recordFields(of: "d", .development) == [])
    }

    /// A request to the production environment, as a Sluice client.
    private func production(_ fixture: ServiceFixture, _ token: AccessToken, _ endpoint: Endpoint, _ body: some WireEncodable) async throws -> ServiceFixture.Answer {
        var path = fixture.path
        path.environment = .production
        let headers = [HTTPHeader("Authorization", "Bearer \(token.text)"), HTTPHeader(SluiceHeader.client, "tests/1")]
        return try await fixture.send(.post, path.path(of: endpoint), headers: headers, body: try body.encoded())
    }

    @Test func `production takes everything until something is deployed, then that, in the dialect's words`() async throws {
        try await ServiceFixture.run { fixture in
            var random = SystemRandomNumberGenerator()
            let token = AccessToken.user(&random)
            try await fixture.storage.addToken(
                NewToken(.user(name: "ann", holder: "phone"), digest: token.digest, container: fixture.path.container, environment: .production))
            try await fixture.makeZone()
            // Development: a record, an update without a type, an empty list, a refused operation and a deletion.
            let fields = ["title": Field(.string("a")), "count": Field(.int64(1)), "tags": Field(.stringList(["x"])), "later": Field(.emptyList)]
            let created = try await fixture.write([RecordOperation(.create, Record("r", type: "Note", fields: fields))]).decoded(RecordsResponse.self)
            let tag = try #require(created.records[0].record?.changeTag)
            _ = try await fixture.write([
                RecordOperation(.update, Record("r", changeTag: tag, fields: ["done": Field(.timestamp(1)), "title": Field(nil)])),
                RecordOperation(.forceDelete, Record("none", type: "Gone")),
            ])
            _ = try await fixture.write([RecordOperation(.create, Record("r", type: "Refused"))])
            _ = try await fixture.write([RecordOperation(.forceUpdate, Record("s", type: "Note", fields: ["count": Field(.double(0.5))]))])
            let learnt = try await fixture.storage.recordFields(of: fixture.path.container, .development)
            #expect(
                learnt == [
                    RecordField("Note"), RecordField("Note", "count", "DOUBLE"), RecordField("Note", "count", "INT64"), RecordField("Note", "done", "TIMESTAMP"),
                    RecordField("Note", "tags", "STRING_LIST"), RecordField("Note", "title", "STRING"),
                ])

            let zone = ZonesModifyRequest(operations: [ZoneOperation(.create, ZoneID("Notes"))])
            #expect(try await production(fixture, token, .zonesModify, zone).status == 200)
            func write(_ name: String, _ fields: [String: Field], type: String? = "Note", _ kind: RecordOperation.Kind = .forceUpdate) async throws -> String? {
                let request = ModifyRequest(operations: [RecordOperation(kind, Record(name, type: type, fields: fields))], zoneID: ZoneID("Notes"))
                let error = try await production(fixture, token, .recordsModify, request).decoded(RecordsResponse.self).records[0].error
                if let error { #expect(error.code == .badRequest) }
                return error?.reason
            }
            #expect(try await write("old", ["a": Field(.string("x"))], type: "Anything") == nil)
            try await fixture.storage.addRecordFields(learnt, to: fixture.path.container, .production)
            // What was read before is good for five seconds.
            fixture.ahead.add(minutes: 1)
            #expect(try await write("n", ["title": Field(.string("x")), "count": Field(.double(1)), "later": Field(nil)]) == "Cannot create or modify field 'later' in record 'Note' in production schema")
            #expect(try await write("n", ["title": Field(.string("x")), "count": Field(.double(1)), "tags": Field(.emptyList), "done": Field(nil)]) == nil)
            #expect(try await write("n", ["count": Field(.int64(2))], type: nil) == nil)
            #expect(try await write("n", ["title": Field(.int64(2))], type: nil) == "Invalid value, expected type STRING")
            #expect(try await write("n", ["count": Field(.string("2"))]) == "Invalid value, expected type DOUBLE or INT64")
            #expect(try await write("t", [:], type: "Task") == "Cannot create new type Task in production schema")
            // What was there before can go, and nobody's neighbours suffer outside of an atomic batch.
            #expect(try await write("old", [:], type: nil, .forceDelete) == nil)
            // Deployed by another process just now: known at once.
            try await fixture.storage.addRecordFields([RecordField("Task")], to: fixture.path.container, .production)
            #expect(try await write("t", [:], type: "Task") == nil)
        }
    }
}
