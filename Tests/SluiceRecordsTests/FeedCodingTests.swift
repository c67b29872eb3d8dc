import Foundation
import Testing

@testable import SluiceRecords

@Suite struct FeedCodingTests {
    private func text(_ value: some WireEncodable) throws -> String { String(decoding: try value.encoded(), as: UTF8.self) }

    @Test func `keys at the top of a zone feed's request are defaults for each zone`() throws {
        let body = #"""
            {"resultsLimit":10,"desiredKeys":["a"],"numberAsStrings":true,"zones":[{"zoneID":{"zoneName":"A"},"syncToken":""},
            {"zoneID":{"zoneName":"B"},"syncToken":"t","resultsLimit":5,"desiredKeys":[],"reverse":true,"numbersAsStrings":false}]}
            """#
        let request = try ZoneChangesRequest(decoding: Data(body.utf8))
        #expect(
            request.zones == [
                .init(ZoneID("A"), resultsLimit: 10, desiredKeys: ["a"], numbersAsStrings: true),
                .init(ZoneID("B"), syncToken: "t", isReversed: true, resultsLimit: 5, desiredKeys: []),
            ])
        #expect(try ZoneChangesRequest(decoding: try request.encoded()) == request)
    }

    @Test func `a zone feed's answer has the dialect's shape, errors in their element`() throws {
        let response = ZoneChangesResponse(
            zones: [
                .changes(ZoneChanges(ZoneID("A"), syncToken: "t", moreComing: true, records: [])),
                .failure(ZoneID("B"), ServerError(.zoneNotFound, "Zone 'B' does not exist")),
            ], epoch: Epoch(rawValue: 7))
        let zone = { (name: String) in #"{"zoneName":"\#(name)","zoneType":"REGULAR_CUSTOM_ZONE"}"# }
        let expected =
            #"{"zones":[{"zoneID":\#(zone("A")),"syncToken":"t","moreComing":true,"records":[]},"#
            + #"{"zoneID":\#(zone("B")),"serverErrorCode":"ZONE_NOT_FOUND","reason":"Zone 'B' does not exist"}],"epoch":"0000000000000007"}"#
        #expect(try text(response) == expected)
        #expect(try ZoneChangesResponse(decoding: Data(expected.utf8)) == response)
        #expect(try ZoneChangesResponse(decoding: Data(#"{"zones":[{"zoneID":{"zoneName":"A"},"syncToken":"t","moreComing":null}]}"#.utf8)).epoch == nil)
    }

    @Test func `database changes round-trip, deleted zones with their reason`() throws {
        let response = DatabaseChangesResponse(
            zones: [Zone(ZoneID("A"), syncToken: "s"), Zone(ZoneID("B"), isDeleted: true, deletionReason: .purged)], syncToken: "d",
            moreComing: false, epoch: nil)
        #expect(try DatabaseChangesResponse(decoding: try response.encoded()) == response)
        let foreign = #"{"zones":[{"zoneID":{"zoneName":"B"},"deleted":true,"deletionReason":"newer"}],"syncToken":"d"}"#
        #expect(try DatabaseChangesResponse(decoding: Data(foreign.utf8)).zones == [Zone(ZoneID("B"), isDeleted: true)])
    }

    @Test func `a wait is clamped to what a request may last`() throws {
        #expect(try DatabaseChangesRequest(decoding: Data(#"{"waitSeconds":9999999999,"syncToken":""}"#.utf8)) == .init(waitSeconds: 50))
        #expect(try DatabaseChangesRequest(decoding: Data("{}".utf8)) == .init())
    }

    @Test func `zone requests and answers round-trip`() throws {
        let modify = ZonesModifyRequest(operations: [.init(.create, ZoneID("A")), .init(.delete, ZoneID("B"), deletionReason: .encryptedDataReset)])
        #expect(try ZonesModifyRequest(decoding: try modify.encoded()) == modify)
        let lookup = try ZonesLookupRequest(decoding: Data(#"{"zones":[{"zoneName":"A"},{"zoneID":{"zoneName":"B"}}]}"#.utf8))
        #expect(lookup.zones.map(\.zoneName) == ["A", "B"])
        #expect(throws: WireError.self) { try ZonesLookupRequest(decoding: Data(#"{"zones":["A"]}"#.utf8)) }
    }

    @Test func `the caller is read from either place`() throws {
        let caller = CallerResponse(userRecordName: "_u", epoch: Epoch(rawValue: .max), limits: ServiceLimits(operations: 4_000, bytes: 5))
        #expect(try CallerResponse(decoding: try caller.encoded()) == caller)
        #expect(try CallerResponse(decoding: Data(#"{"users":[{"userRecordName":"_x"}]}"#.utf8)).userRecordName == "_x")
    }
}
