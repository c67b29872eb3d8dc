import CloudKitDouble
import Foundation
import SluiceHTTPClient
import SluiceJSON
import SluiceRecords
import SluiceSchema
import SluiceStore
import SluiceSync
import Testing

@testable import SluiceCoordinator

/// Effects once at a service that remembers no operation, and what else takes the place of Sluice's extensions there.
@Suite(.timeLimit(.minutes(10))) struct CloudKitEffectTests {
    private static let counting = MergePolicies(["Item": EntityMergePolicy(fields: ["count": .counter])])

    @Test func `I-2 creates, updates, additions and deletions whose answers are lost have their effect once`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.runTwo(policies: Self.counting) { a, b in
                func losing(_ times: Int, _ edit: () async throws -> Void) async throws {
                    for _ in 0..<times { cloud.cloud.script(Fault("records/modify", .loseAnswer)) }
                    try await edit()
                    try await cloud.bringIntoStep(a, b)
                }
                try await losing(1) { for index in 0..<3 { try await a.putItem("r\(index)", ["title": .string("new"), "count": .integer(1)]) } }
                try await losing(1) { try await a.putItem("r0", ["title": .string("edited")]) }
                for _ in 0..<3 {
                    try await losing(1) {
                        for account in [a, b] {
                            guard case .integer(let count)? = try await account.row(named: RecordName("r1")).attributes["count"] else { return }
                            try await account.putItem("r1", ["count": .integer(count + 10)])
                        }
                    }
                }
                try await losing(1) { _ = try await a.delete(RecordName("r2")) }
                #expect(try await a.row(named: RecordName("r0")).attributes["title"] == .string("edited"))
                #expect(try await b.row(named: RecordName("r1")).attributes["count"] == .integer(61))
                #expect(cloud.records.keys.sorted() == ["r0", "r1"])
                for index in 0..<3 {
                    #expect(cloud.cloud.creationCount(of: "r\(index)", user: CloudKitFixture.user, in: CloudKitFixture.zone) == 1)
                }
            }
        }
    }

    @Test func `I-4 a record whose creation was not answered, and that somebody deleted, is not created again`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.bringIntoStep(a)
                cloud.cloud.script(Fault("records/modify", .loseAnswer), Fault("records/modify", .gateway(status: 502)))
                let name = try await a.put(PutRequest(entity: "Item", properties: ["title": .string("short-lived")])).name
                let isThere = try await eventually { cloud.records[name] != nil }
                #expect(isThere)
                cloud.cloud.edit(name, of: CloudKitFixture.user, in: CloudKitFixture.zone, fields: nil)
                let status = try await cloud.bringIntoStep(a)
                #expect(status.entities["Item"] == 0)
                #expect(cloud.cloud.creationCount(of: name, user: CloudKitFixture.user, in: CloudKitFixture.zone) == 1)
            }
        }
    }

    @Test(arguments: [ConflictPolicy.latestEdit, .serverWins, .clientWins])
    func `an edit on top of one whose answer was lost is not in conflict with it`(policy: ConflictPolicy) async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a", policies: MergePolicies(["Item": EntityMergePolicy(conflicts: policy)]))) { a in
                try await a.putItem("old", ["title": .string("zero")])
                try await cloud.bringIntoStep(a)
                // The answer is lost, and then the service is away: the second edit is made before anybody knows.
                cloud.cloud.script(Fault("records/modify", .loseAnswer), Fault("changes/zone", .gateway(status: 502)))
                let before = cloud.calls("records/modify").count
                _ = try await a.setPaused(true)
                try await a.putItem("old", ["title": .string("one")])
                try await a.putItem("new", ["title": .string("one")])
                _ = try await a.setPaused(false)
                let isSent = try await eventually { cloud.calls("records/modify").count > before }
                #expect(isSent)
                for name in ["old", "new"] { try await a.putItem(name, ["title": .string("two")]) }
                try await cloud.bringIntoStep(a)
                for name in ["old", "new"] {
                    #expect(try await a.row(named: RecordName(name)).attributes["title"] == .string("two"), "\(name)")
                    #expect(try cloud.records[name]?.object("title")?.string("value") == "two", "\(name)")
                }
            }
        }
    }

    @Test func `what a coordinator sent and heard no answer of is looked up by the next one`() async throws {
        try await CloudKitFixture.with { cloud in
            let plan = try cloud.plan("a")
            try await cloud.run(plan) { a in
                try await cloud.bringIntoStep(a)
                cloud.cloud.script(Fault("records/modify", .loseAnswer))
                try await a.putItem("r", ["title": .string("x")])
                let isThere = try await eventually { cloud.records["r"] != nil }
                #expect(isThere)
            }
            cloud.cloud.edit("r", of: CloudKitFixture.user, in: CloudKitFixture.zone, fields: nil)
            let status = try await cloud.run(plan) { try await cloud.bringIntoStep($0) }
            #expect(status.entities["Item"] == 0)
            #expect(cloud.cloud.creationCount(of: "r", user: CloudKitFixture.user, in: CloudKitFixture.zone) == 1)
        }
    }

    @Test func `a sync token that is refused leads to one full fetch, and to another one only after an hour`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await a.putItem("r", ["title": .string("x")])
                try await cloud.bringIntoStep(a)
                cloud.cloud.expireSyncTokens(of: CloudKitFixture.user, in: CloudKitFixture.zone)
                #expect(try await cloud.bringIntoStep(a).entities["Item"] == 1)
                #expect(Self.fetchesFromNothing(cloud) == 2)
                let refusal = Fault("changes/zone", .refuseZone(code: "BAD_REQUEST", reason: "Unknown sync continuation type", retryAfter: nil))
                cloud.cloud.script(refusal, refusal)
                for _ in 0..<2 {
                    let status = try await a.settle()
                    #expect(status.state == "waiting" && status.reason?.contains("sync token") == true, "\(status)")
                    #expect((status.until ?? 0) - Int64(Date().timeIntervalSince1970 * 1_000) > 3_000_000)
                }
                #expect(Self.fetchesFromNothing(cloud) == 2)
                // The service thinks better of it.
                #expect(try await cloud.bringIntoStep(a).entities["Item"] == 1)
                #expect(Self.fetchesFromNothing(cloud) == 2)
            }
        }
    }

    /// First pages of a fetch without a token.
    private static func fetchesFromNothing(_ cloud: CloudKitFixture) -> Int {
        cloud.calls("changes/zone").count { !String(decoding: $0.body, as: UTF8.self).contains("syncToken") }
    }

    @Test func `without a long poll the schedule brings what others changed, and no more is asked than it says`() async throws {
        try await CloudKitFixture.with { cloud in
            var plan = try cloud.plan("a")
            plan.pollInterval = .seconds(1)
            let started = ContinuousClock.now
            try await cloud.run(plan) { a in
                try await a.putItem("r", ["title": .string("x")])
                try await cloud.bringIntoStep(a)
                cloud.cloud.edit("r", of: CloudKitFixture.user, in: CloudKitFixture.zone, fields: ["title": .typed("STRING", .string("news"))])
                let isHere = try await eventually { try await a.row(named: RecordName("r")).attributes["title"] == .string("news") }
                #expect(isHere)
            }
            let seconds = Int(started.duration(to: .now) / .seconds(1))
            #expect(cloud.calls("changes/database").count <= seconds + 2)
        }
    }

    @Test func `a token that has ended stops sync until a person signs in again`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.bringIntoStep(a)
                cloud.cloud.expireTokens(of: CloudKitFixture.user)
                try await a.putItem("r", ["title": .string("x")])
                let isBlocked = try await eventually { a.status.state == "blocked" }
                #expect(isBlocked && a.status.advice?.contains("token") == true, "\(a.status)")
            }
            _ = try await cloud.run(cloud.plan("a")) { try await cloud.bringIntoStep($0) }
            #expect(cloud.records.count == 1)
        }
    }

    @Test func `the double gives upload URLs for files, each good for one upload`() async throws {
        try await CloudKitFixture.with { cloud in
            let plan = try cloud.plan("a")
            let http = try HTTPClient(plan.http)
            let client = RecordServiceClient(http, plan.service, userAgent: "test", credentials: plan.credentials)
            let answer = try await client.exchange(
                ExchangeRequest(.assetsUpload, body: Data(#"{"tokens":[{"recordType":"Item","fieldName":"data"}]}"#.utf8)))
            let tokens = try JSONValue(parsing: answer.body).asObject().requiredList("tokens") { json throws(WireError) in
                try json.asObject().requiredString("url")
            }
            let address = try #require(tokens.first)
            let url = try #require(URL(string: address))
            let file = try await http.send(HTTPClientRequest(.post, url, body: Data("bytes".utf8)))
            let size = try JSONValue(parsing: file.body).asObject().object("singleFile")?.integer("size")
            #expect(size == 5)
            let again = try await http.send(HTTPClientRequest(.post, url, body: Data("again".utf8))).status
            #expect(again == 403)
        }
    }
}
