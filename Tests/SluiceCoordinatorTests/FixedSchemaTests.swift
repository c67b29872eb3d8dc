import CloudKitDouble
import Foundation
import SluiceJSON
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import SluiceSync
import Testing

@testable import SluiceCoordinator

/// A fixed schema without the field for merge metadata: on CloudKit in production, and on a record service after `schema deploy`.
@Suite(.timeLimit(.minutes(10))) struct FixedSchemaTests {
    @Test func `on CloudKit everything is sent without merge metadata, the service's value stands, and the status says so until the field is there`() async throws {
        var habits = Habits()
        habits.unknownFields = [RecordMapping.metadataField]
        try await CloudKitFixture.with(habits) { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.run(cloud.plan("b")) { b in
                    for (device, name) in [(a, "r"), (b, "s")] {
                        try await device.putItem(name, ["title": .string("one")])
                        try await cloud.bringIntoStep(a, b)
                    }
                    // Both without having seen the other's; the later one comes last.
                    for device in [a, b] { _ = try await device.setPaused(true) }
                    try await a.putItem("r", ["title": .string("from a")])
                    try await b.putItem("r", ["title": .string("from b"), "price": .double(2)])
                    _ = try await a.setPaused(false)
                    try await cloud.bringIntoStep(a)
                    _ = try await b.setPaused(false)
                    let last = try await cloud.bringIntoStep(a, b)
                    #expect(last.mergeMetadata == "refused" && last.setAsideCount == 0)
                    #expect(last.metadataAdvice?.contains("serverWins") == true)
                    let row = try await b.row(named: RecordName("r")).attributes
                    #expect(row["title"] == .string("from a") && row["price"] == .double(2))
                    #expect(try cloud.records["r"]?.object(RecordMapping.metadataField) == nil)
                    // Somebody adds the field.
                    cloud.cloud.change { $0.unknownFields = [] }
                    _ = try await a.settle()
                    try await a.putItem("r", ["title": .string("last")])
                    try await cloud.bringIntoStep(a, b)
                    #expect(try await a.settle().mergeMetadata == nil)
                    #expect(try cloud.records["r"]?.object(RecordMapping.metadataField) != nil)
                }
            }
            #expect(cloud.log.all.contains { $0.contains("takes no merge metadata") })
        }
    }

    @Test func `a record service whose deployed schema lacks the field takes the records without it, in one request more`() async throws {
        try await SyncFixture.with(ServiceConfiguration(), .production) { fixture in
            let fields = [RecordField("Item"), RecordField("Item", "title", "STRING"), RecordField("Item", "price", "DOUBLE")]
            try await fixture.storage.addRecordFields(fields, to: "iCloud.test", .production)
            try await fixture.run(fixture.plan("a")) { a in
                for number in 0..<20 { _ = try await a.put(PutRequest(entity: "Item", name: "r\(number)", properties: ["title": .string("\(number)")])) }
                let status = try await a.settle()
                #expect(status.state == "idle" && status.pending == 0 && status.setAsideCount == 0)
                #expect(status.mergeMetadata == "refused")
                let coded = try String(decoding: JSONEncoder().encode(status), as: UTF8.self)
                #expect(coded.contains("\"mergeMetadata\":\"refused\""))
            }
            // What the schema lacks beside it is refused for good, and nothing else with it.
            try await fixture.run(fixture.plan("a")) { a in
                _ = try await a.put(PutRequest(entity: "List", name: "l", properties: ["title": .string("list")]))
                _ = try await a.put(PutRequest(entity: "Item", name: "more", properties: ["title": .string("more")]))
                let status = try await a.settle()
                #expect(status.setAside.map(\.name) == ["l"])
                #expect(status.mergeMetadata == "refused")
            }
            let database = try await fixture.database()
            let found = try await fixture.storage.records(named: ["r0", "r19", "more", "l"], zone: ZoneID("shop"), in: database)
            #expect(try found.map { try $0?.decoded().fields.keys.sorted() } == [["title"], ["title"], ["title"], nil])
        }
    }
}
