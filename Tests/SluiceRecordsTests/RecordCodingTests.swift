import Foundation
import Testing

@testable import SluiceRecords

@Suite struct RecordCodingTests {
    private func text(_ value: some WireEncodable) throws -> String { String(decoding: try value.encoded(), as: UTF8.self) }

    /// The response form of the dialect's description, keys in our order.
    static let documented =
        #"{"recordName":"A1","recordType":"Note","recordChangeTag":"1e","fields":{"title":{"value":"hi","type":"STRING"}},"pluginFields":{},"#
        + #""created":{"timestamp":1445377260000,"userRecordName":"_u","deviceID":"2"},"#
        + #""modified":{"timestamp":1445377260000,"userRecordName":"_u","deviceID":"2"},"deleted":false,"#
        + #""zoneID":{"zoneName":"Notes","ownerRecordName":"_u","zoneType":"REGULAR_CUSTOM_ZONE"}}"#

    private func documentedRecord() -> Record {
        let stamp = RecordStamp(timestamp: 1_445_377_260_000, userRecordName: "_u", deviceID: "2")
        var record = Record(
            "A1", type: "Note", changeTag: "1e", fields: ["title": Field(.string("hi"))], zoneID: ZoneID("Notes", ownerRecordName: "_u"))
        record.created = stamp
        record.modified = stamp
        return record
    }

    @Test func `a record is written as the dialect describes it and reads back`() throws {
        #expect(try text(documentedRecord()) == Self.documented)
        #expect(try Record(decoding: Data(Self.documented.utf8)) == documentedRecord())
    }

    @Test func `a record spliced from storage has the same bytes as one that was decoded`() throws {
        var head = documentedRecord()
        let fieldsJSON = try head.fields.canonicalJSON()
        head.fields = [:]
        let stored = StoredRecord(head: head, fieldsJSON: fieldsJSON)
        #expect(try text(stored) == Self.documented)
        #expect(try stored.decoded() == documentedRecord())
    }

    @Test func `a tombstone has no fields, with and without the keys that only some clients bear`() throws {
        var tombstone = Record("A1", isDeleted: true, zoneID: ZoneID("Notes"))
        #expect(try text(tombstone) == #"{"recordName":"A1","deleted":true,"zoneID":{"zoneName":"Notes","zoneType":"REGULAR_CUSTOM_ZONE"}}"#)
        tombstone.changeTag = "t"
        #expect(try Record(decoding: try tombstone.encoded()) == tombstone)
        #expect(try Record(decoding: Data(#"{"recordName":"A1","deleted":true,"recordType":null}"#.utf8)).isDeleted)
    }

    @Test func `unknown keys and nulls are as if they were not there`() throws {
        let record = try Record(
            decoding: Data(#"{"recordName":null,"recordType":"T","share":{"x":1},"expirationTime":null,"fields":null,"parent":null}"#.utf8))
        #expect(record == Record("", type: "T"))
    }

    @Test func `fields are written in one order, whatever the dictionary's`() throws {
        let names = (0..<50).map { "f\($0)" } + ["Z", "_a", "é"]
        let json = try [String: Field](uniqueKeysWithValues: names.map { ($0, Field(.int64(1))) }).canonicalJSON()
        let keys = try JSONValue(parsing: json).asObject().members.map(\.key)
        #expect(keys == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test func `a modify request round-trips, and deletions carry no fields`() throws {
        let request = ModifyRequest(
            operations: [
                RecordOperation(.update, documentedRecord()), RecordOperation(.forceDelete, Record("B", fields: ["x": Field(nil)])),
            ], zoneID: ZoneID("Notes"), isAtomic: false, desiredKeys: [])
        let read = try ModifyRequest(decoding: try request.encoded())
        #expect(read.operations == [request.operations[0], RecordOperation(.forceDelete, Record("B"))])
        #expect(read.zoneID == request.zoneID && read.isAtomic == false && read.desiredKeys == [])
    }

    @Test func `a fault in one operation leaves its neighbours readable`() throws {
        let body = #"""
            {"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"T","fields":{"x":{"value":1.5,"type":"INT64"}}}},
            {"operationType":"explode","record":{"recordName":"b"}},{"operationType":"delete","record":{}},
            {"operationType":"create","record":{"recordName":"d","recordType":"T"},"recordType":"T"}]}
            """#
        let request = try ModifyRequest(decoding: Data(body.utf8))
        #expect(request.operations.map(\.record.recordName) == ["d"])
        guard case .refused("a", let error) = request.elements[0] else { return #expect(Bool(false)) }
        #expect(error.code == .badRequest)
        #expect(error.reason == "record.fields.x.value: a whole number was expected")
        #expect(request.elements.count == 4)
    }

    @Test func `each form of a record result reads back as a record or a failure`() throws {
        let failure = RecordResult.failure(recordName: "B", ServerError(.throttled, "slow down", retryAfter: 2))
        let response = RecordsResponse(records: [.record(documentedRecord()), .thin(recordName: "C", changeTag: "t", modified: 5), failure])
        let read = try RecordsResponse(decoding: try response.encoded())
        #expect(read.records[0] == .record(documentedRecord()))
        #expect(read.records[1].record?.changeTag == "t")
        #expect(read.records[1].record?.modified?.timestamp == 5)
        #expect(read.records[2] == failure)
        #expect(try text(failure) == #"{"recordName":"B","serverErrorCode":"THROTTLED","reason":"slow down","retryAfter":2}"#)
    }
}
