import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// `records/query` over TLS, as clients of the dialect send it.
@Suite struct QueryServiceTests {
    private func query(_ body: String, in fixture: ServiceFixture) async throws -> ServiceFixture.Answer {
        try await fixture.foreign(.recordsQuery, body)
    }

    private func fill(_ fixture: ServiceFixture) async throws {
        try await fixture.makeZone()
        let records = (0..<205).map { number in
            Record("r\(number + 100)", type: "Note", fields: ["n": Field(.int64(Int64(number % 5))), "title": Field(.string("t\(number)"))])
        }
        let answer = try await fixture.write(records.map { RecordOperation(.create, $0) })
        try #require(try answer.decoded(RecordsResponse.self).records.allSatisfy { $0.error == nil })
    }

    @Test func `pages follow each other by their markers, with the fields asked for and numbers as text`() async throws {
        try await ServiceFixture.run { fixture in
            try await fill(fixture)
            let body = #"{"zoneID":{"zoneName":"Notes"},"query":{"recordType":"Note","sortBy":[{"fieldName":"n","ascending":false}]},"#
                + #""resultsLimit":1000,"desiredKeys":["n"],"numbersAsStrings":true"#
            let first = try await query(body + "}", in: fixture)
            #expect(first.status == 200 && first.text.contains(#""n":{"value":"4","type":"INT64"}"#) && !first.text.contains("title"))
            let page = try first.decoded(RecordQueryResponse.self)
            #expect(page.records.count == 200 && page.records[0].recordName == "r104")
            let marker = try #require(page.continuationMarker)
            let last = try await query(body + #","continuationMarker":"\#(marker)"}"#, in: fixture).decoded(RecordQueryResponse.self)
            #expect(last.records.map(\.recordName) == ["r280", "r285", "r290", "r295", "r300"] && last.continuationMarker == nil)
        }
    }

    @Test func `what is no marker of this query, or no query, is a bad request with its reason`() async throws {
        try await ServiceFixture.run { fixture in
            try await fill(fixture)
            let zone = #""zoneID":{"zoneName":"Notes"}"#
            let first = try await query(#"{\#(zone),"query":{"recordType":"Note"},"resultsLimit":5}"#, in: fixture).decoded(RecordQueryResponse.self)
            let marker = try #require(first.continuationMarker)
            let bodies = [
                (#"{\#(zone),"query":{"recordType":"Note"},"continuationMarker":"garbage"}"#, "Invalid continuation format"),
                (#"{\#(zone),"query":{"recordType":"Other"},"continuationMarker":"\#(marker)"}"#, "the continuation marker belongs to another query"),
                (#"{"query":{"recordType":"Note"},"continuationMarker":"\#(marker)"}"#, "the continuation marker belongs to another query"),
                (#"{\#(zone)}"#, "missing required key 'query'"), (#"{\#(zone),"query":{}}"#, "missing required key 'recordType'"),
                (#"{\#(zone),"query":{"recordType":"Note"},"resultsLimit":0}"#, "a positive number was expected"),
                (#"{\#(zone),"query":{"recordType":"Note","filterBy":[{"comparator":"LIKE","fieldName":"n","fieldValue":{"value":1}}]}}"#, "one of EQUALS"),
                (#"{\#(zone),"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"___x","fieldValue":{"value":1}}]}}"#, "no system field"),
                (#"{\#(zone),"query":{"recordType":"Note","filterBy":[{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":null}}]}}"#, "missing required key 'value'"),
                (#"{\#(zone),"query":{"recordType":"Note","filterBy":[{"comparator":"IN","fieldName":"n","fieldValue":{"value":1,"type":"INT64"}}]}}"#, "Unexpected input"),
                (#"{\#(zone),"query":{"recordType":"Note","sortBy":[{"systemFieldName":"colour"}]}}"#, "one of recordName"),
            ]
            for (body, reason) in bodies {
                let answer = try await query(body, in: fixture)
                #expect(answer.status == 400, "\(body)")
                #expect(try answer.code == "BAD_REQUEST")
                #expect(try answer.json.string("reason")?.contains(reason) == true, "\(answer.text)")
            }
            let gone = try await query(#"{"zoneID":{"zoneName":"Gone"},"query":{"recordType":"Note"}}"#, in: fixture)
            #expect(gone.status == 404)
            #expect(try gone.code == "ZONE_NOT_FOUND")
            let owner = try await query(#"{"zoneID":{"zoneName":"Notes","ownerRecordName":"_other"},"query":{"recordType":"Note"}}"#, in: fixture)
            #expect(owner.status == 404)
        }
    }

    @Test func `system fields by all their names, all zones at once, and a reference without an action`() async throws {
        try await ServiceFixture.run { fixture in
            try await fill(fixture)
            let child = Record("child", type: "Note", fields: ["of": Field(.reference(Reference(recordName: "r100")))])
            _ = try await fixture.write([RecordOperation(.create, child)])
            let filters = [
                #"{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":{"recordName":"child"},"type":"REFERENCE"}}"#,
                #"{"comparator":"EQUALS","fieldName":"___recordID","fieldValue":{"value":{"recordName":"child"}}}"#,
                #"{"comparator":"IN","fieldName":"___recordId","fieldValue":{"value":["child","r0"],"type":"STRING_LIST"}}"#,
                #"{"comparator":"EQUALS","fieldName":"of","fieldValue":{"value":{"recordName":"r100"}}}"#,
                #"{"comparator":"BEGINS_WITH","systemFieldName":"recordName","fieldValue":{"value":"c"}}"#,
            ]
            for filter in filters {
                let answer = try await query(#"{"zoneWide":true,"query":{"recordType":"Note","filterBy":[\#(filter)]}}"#, in: fixture)
                #expect(try answer.decoded(RecordQueryResponse.self).records.map(\.recordName) == ["child"], "\(filter) \(answer.text)")
            }
            for name in [#""fieldName":"___modTime""#, #""systemFieldName":"modifiedTimestamp""#, #""fieldName":"___createTime""#] {
                let body = #"{"zoneID":{"zoneName":"Notes"},"zoneWide":true,"resultsLimit":1,"query":{"recordType":"Note","sortBy":[{\#(name),"ascending":false}]}}"#
                #expect(try await query(body, in: fixture).decoded(RecordQueryResponse.self).records.map(\.recordName) == ["child"])
            }
        }
    }
}
