import Foundation
import SluiceHTTPClient
import SluiceRecords
import Testing

@testable import SluiceRecordService

/// Whatever bytes arrive, the answer is an answer of the dialect and never 500.
@Suite struct HostileInputTests {
    /// Pseudo-random with a seed, so that a failure can be replayed.
    struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    static let bodies: [(Endpoint, String)] = [
        (.recordsModify, #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"T","fields":{"x":{"value":[1,2],"type":"INT64_LIST"}}}}],"zoneID":{"zoneName":"Notes"},"atomic":true}"#),
        (.recordsLookup, #"{"records":[{"recordName":"a"}],"zoneID":{"zoneName":"Notes"},"desiredKeys":["x"]}"#),
        (.zoneChanges, #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"z1.0.0.0","resultsLimit":5,"reverse":true}]}"#),
        (.databaseChanges, #"{"syncToken":"d1.0000000000000000.0.0000000000000000","resultsLimit":3}"#),
        (.recordsChanges, #"{"zoneID":{"zoneName":"Notes"},"syncToken":"","desiredRecordTypes":["T"]}"#),
        (.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Other"}}}]}"#),
        (.recordsQuery, #"{"zoneID":{"zoneName":"Notes"},"query":{"recordType":"T","filterBy":[{"comparator":"IN","fieldName":"x","fieldValue":{"value":[1],"type":"INT64_LIST"}}],"sortBy":[{"systemFieldName":"recordName"}]},"resultsLimit":3,"continuationMarker":"eyJ2ZXJzaW9uIjoxfQ=="}"#),
        (.zonesLookup, #"{"zones":[{"zoneName":"Notes"}]}"#),
    ]

    @Test(arguments: [
        "", "x", "[]", "null", "7", #""text""#, "{", #"{"operations":7}"#, #"{"operations":[7]}"#, #"{"records":[{}]}"#, #"{"zones":[[]]}"#,
        #"{"zones":[{"zoneID":"Notes"}]}"#, #"{"zoneID":7,"records":[],"operations":[],"zones":[]}"#, #"{"syncToken":7}"#,
        #"{"resultsLimit":-1,"zoneID":{"zoneName":"Notes"},"zones":[]}"#, #"{"resultsLimit":1e400}"#, #"{"a":1,"a":2}"#, "\u{FEFF}{}",
    ])
    func `bodies that are wrong in one way each are refused with a reason`(body: String) async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            for (endpoint, _) in Self.bodies {
                let answer = try await fixture.foreign(endpoint, body)
                #expect([200, 400, 404].contains(answer.status), "\(endpoint) \(body): \(answer.status) \(answer.text)")
                #expect(throws: Never.self) { try JSONValue(parsing: answer.body) }
            }
        }
    }

    @Test func `deep, long and mutated bodies never make the service fail`() async throws {
        try await ServiceFixture.run { fixture in
            try await fixture.makeZone()
            let deep = #"{"operations":"# + String(repeating: "[", count: 500_000)
            #expect(try await fixture.foreign(.recordsModify, deep).status == 400)
            var random = SeededGenerator(state: 42)
            for round in 0..<400 {
                let (endpoint, body) = Self.bodies[round % Self.bodies.count]
                var bytes = Array(body.utf8)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let position = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: position)
                    default: bytes.insert(contentsOf: Array(#"{"[]",:-1e9nul\u"#.utf8).shuffled(using: &random).prefix(2), at: position)
                    }
                }
                let answer = try await fixture.send(
                    .post, fixture.path.path(of: endpoint), headers: fixture.sluiceHeaders(), body: Data(bytes))
                #expect(answer.status < 500, "round \(round): \(String(decoding: bytes, as: UTF8.self)) gave \(answer.text)")
            }
            #expect(!fixture.lines.all.contains { $0.hasPrefix("<3>") })
        }
    }

    @Test(arguments: ["/database/1/%00/development/private/zones/list", "/database/1/../../etc/passwd", "//", "/database/1/c/development/private/zones/list?%%%&ckAPIToken=%ff"])
    func `odd paths and queries are refused`(target: String) async throws {
        try await ServiceFixture.run { fixture in
            let answer = try await fixture.send(.get, target)
            #expect([400, 401, 404].contains(answer.status))
        }
    }
}
