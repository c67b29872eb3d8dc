import CloudKitDouble
import Foundation
import SluiceJSON
import SluiceReader
import SluiceSchema
import SluiceStore
import SluiceSync
import Testing

@testable import SluiceCoordinator

/// What CloudKit asks of a client, item by item: real accounts, and a double with Apple's habits only.
@Suite(.timeLimit(.minutes(10))) struct CloudKitChecklistTests {
    @Test func `checklist 1: records have names and fields types, and a request holds at most 200 operations and less than 1 MB`() async throws {
        try await CloudKitFixture.with { cloud in
            let first = try await cloud.run(cloud.plan("a")) { a in
                for index in 0..<320 {
                    try await a.putItem("r\(index)", ["title": .string("\(index)"), "due": .string("2026-12-01T10:00:00.1236Z"), "price": .double(3)])
                }
                let bytes = Data(count: 250_000).base64EncodedString()
                for index in 0..<6 { try await a.putItem("large\(index)", ["title": .string("large"), "data": .string(bytes)]) }
                return try await cloud.bringIntoStep(a)
            }
            let second = try await cloud.run(cloud.plan("b")) { try await cloud.bringIntoStep($0) }
            #expect(second.entities["Item"] == 326 && second.digest == first.digest)
            let sent = cloud.calls("records/modify")
            #expect(sent.allSatisfy { $0.count <= 200 && $0.body.count < 1_000_000 })
            #expect(sent.reduce(0) { $0 + $1.count } == 326, "each record was sent once")
        }
    }

    @Test func `checklist 2: a refused batch is halved down to the one record that nobody can read, and parents come before children`() async throws {
        var habits = Habits()
        habits.operationsMaximum = 30
        habits.unreadableRecords = ["unreadable"]
        try await CloudKitFixture.with(habits) { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                _ = try await a.put(PutRequest(entity: "List", name: "list", properties: ["title": .string("l")]))
                for index in 0..<100 { try await a.putItem("r\(index)", ["title": .string("\(index)"), "list": .string("list")]) }
                try await a.putItem("unreadable", ["title": .string("x")])
                let status = try await cloud.bringIntoStep(a)
                #expect(status.setAside.map(\.name) == ["unreadable"])
            }
            #expect(cloud.records.count == 101)
            let bodies = cloud.calls("records/modify").map { String(decoding: $0.body, as: UTF8.self) }
            let parent = try #require(bodies.lastIndex { $0.contains(#""recordName":"list","recordType":"List""#) })
            let accepted = bodies[parent...].first { $0.contains(#""recordName":"r0""#) }
            #expect(accepted != nil)
            let seen = try await cloud.run(cloud.plan("b")) { try await cloud.bringIntoStep($0).entities }
            #expect(seen == ["List": 1, "Item": 100])
        }
    }

    @Test func `checklist 3: every element of an answer counts, in whatever order they come`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.bringIntoStep(a)
                cloud.cloud.script(Fault("records/modify", .refuseFirstRecord(code: "ACCESS_DENIED", retryAfter: nil)))
                _ = try await a.setPaused(true)
                for name in ["x", "y", "z"] { try await a.putItem(name, ["title": .string(name)]) }
                _ = try await a.setPaused(false)
                let status = try await cloud.bringIntoStep(a)
                #expect(status.setAside.map(\.name) == ["x"])
                #expect(status.setAside.first?.reason.contains("ACCESS_DENIED") == true)
            }
            #expect(cloud.records.keys.sorted() == ["y", "z"])
        }
    }

    @Test func `checklist 4: a feed goes on through empty pages, and one that stands still is left alone and concludes nothing`() async throws {
        var habits = Habits()
        habits.emptyPages = 3
        habits.pageRecords = 25
        try await CloudKitFixture.with(habits) { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                for index in 0..<60 { try await a.putItem("r\(index)", ["title": .string("\(index)")]) }
                try await cloud.bringIntoStep(a)
            }
            try await cloud.run(cloud.plan("b")) { b in
                #expect(try await cloud.bringIntoStep(b).entities["Item"] == 60)
                // A fetch from the beginning that never ends: what has not come is not gone.
                cloud.cloud.expireSyncTokens(of: CloudKitFixture.user, in: CloudKitFixture.zone)
                cloud.cloud.change { ($0.isFeedStuck, $0.emptyPages) = (true, 0) }
                let before = cloud.calls("changes/zone").count
                let status = try await b.settle()
                #expect(status.state == "waiting" && status.reason?.contains("does not move") == true, "\(status)")
                #expect(cloud.calls("changes/zone").count - before < 40)
                #expect(status.entities["Item"] == 60)
                cloud.cloud.change { $0.isFeedStuck = false }
                #expect(try await cloud.bringIntoStep(b).entities["Item"] == 60)
            }
        }
    }

    @Test func `checklist 5: a version of somebody else's is looked up, merged and updated`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await a.putItem("r", ["title": .string("one"), "price": .double(1)])
                try await cloud.bringIntoStep(a)
                cloud.cloud.edit("r", of: CloudKitFixture.user, in: CloudKitFixture.zone, fields: ["price": .typed("DOUBLE", .double(7))])
                try await a.putItem("r", ["title": .string("two")])
                let isSent = try await eventually { a.status.pending == 0 && a.status.state == "idle" }
                #expect(isSent)
                try await cloud.bringIntoStep(a)
                let row = try await a.row(named: RecordName("r")).attributes
                #expect(row["title"] == .string("two") && row["price"] == .double(7), "\(row)")
            }
            #expect(!cloud.calls("records/lookup").isEmpty)
            let fields = try #require(cloud.records["r"])
            #expect(try fields.object("title")?.string("value") == "two")
            #expect(try fields.object("price")?.double("value") == 7)
        }
    }

    @Test(arguments: [200, 400]) func `checklist 6: one guilty record of an atomic batch does not hold up the innocent`(status: Int) async throws {
        var habits = Habits()
        (habits.isAlwaysAtomic, habits.atomicFailureStatus, habits.unknownFields) = (true, status, ["price"])
        try await CloudKitFixture.with(habits) { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.bringIntoStep(a)
                _ = try await a.setPaused(true)
                for index in 0..<5 { try await a.putItem("innocent\(index)", ["title": .string("x")]) }
                try await a.putItem("guilty", ["title": .string("x"), "price": .double(1)])
                _ = try await a.setPaused(false)
                let status = try await cloud.bringIntoStep(a)
                #expect(status.setAside.map(\.name) == ["guilty"])
                #expect(status.setAside.first?.reason.contains("price") == true)
            }
            #expect(cloud.records.count == 5)
        }
    }

    @Test(arguments: [false, true]) func `checklist 7: a zone that is gone stops sync, keeps what is unsent, and is made again by a person's word only`(
        isListedAsChanged: Bool
    ) async throws {
        var habits = Habits()
        habits.listsDeletedZonesAsChanged = isListedAsChanged
        try await CloudKitFixture.with(habits) { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await a.putItem("r", ["title": .string("kept")])
                try await cloud.bringIntoStep(a)
                cloud.cloud.deleteZone(CloudKitFixture.zone, of: CloudKitFixture.user)
                try await a.putItem("unsent", ["title": .string("unsent")])
                let isBlocked = try await eventually { a.status.state == "blocked" }
                #expect(isBlocked && a.status.pending == 1, "\(a.status)")
                #expect(cloud.calls("zones/modify").count == 1)
                #expect(cloud.cloud.records(of: CloudKitFixture.user, in: CloudKitFixture.zone) == nil)
                _ = try await a.recreateZone(SyncRequest(waits: true))
                try await cloud.bringIntoStep(a)
            }
            // CloudKit gives no reason, so the zone counts as deleted, and the rows that it had with it.
            #expect(cloud.records.keys.sorted() == ["unsent"])
        }
    }

    @Test func `checklist 8: a token that dies with its use is kept before the next call, and calls take turns`() async throws {
        var habits = Habits()
        habits.rotation = .strict
        try await CloudKitFixture.with(habits) { cloud in
            var plan = try cloud.plan("a")
            plan.keepsKeyValues = true
            plan.pollInterval = .seconds(1)
            for round in 0..<2 {
                try await cloud.run(plan) { a in
                    for index in 0..<250 { try await a.putItem("r\(index)", ["title": .string("\(round)")]) }
                    try await a.setSyncedValue(.string("\(round)"), for: "round")
                    try await cloud.bringIntoStep(a)
                    let isInStep = try await eventually { a.status.keyValues?.state == "idle" && a.status.keyValues?.pending == 0 }
                    #expect(isInStep, "\(a.status)")
                }
            }
            let tokens = cloud.cloud.calls.compactMap(\.token)
            #expect(Set(tokens).count == tokens.count, "no token was used twice")
            let mode = try FileManager.default.attributesOfItem(atPath: plan.stateDirectory + "/token")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `checklist 9: a token with + and = arrives as it is`() async throws {
        try await CloudKitFixture.with { cloud in
            _ = try await cloud.run(cloud.plan("a")) { try await cloud.bringIntoStep($0) }
            let targets = cloud.cloud.calls.map(\.target)
            #expect(targets.allSatisfy { $0.contains("ckWebAuthToken=ck%2B") && $0.hasSuffix("%3D%3D") }, "\(targets.first ?? "")")
        }
    }

    @Test func `checklist 10: the patience that the service asks for is kept to, shown, and bounded`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await cloud.bringIntoStep(a)
                cloud.cloud.script(
                    Fault("records/modify", .refuse(status: 429, code: "THROTTLED", reason: "slow down", retryAfter: 1)),
                    Fault("records/modify", .refuseFirstRecord(code: "THROTTLED", retryAfter: 1)),
                    Fault("records/modify", .refuse(status: 503, code: "THROTTLED", reason: "wsThrottles", retryAfter: 110_207)))
                try await a.putItem("r", ["title": .string("x")])
                let isWaiting = try await eventually { a.status.state == "waiting" }
                #expect(isWaiting && a.status.reason?.contains("asked to wait") == true && a.status.until != nil)
                let isLong = try await eventually { cloud.cloud.isScriptOver && a.status.state == "waiting" }
                #expect(isLong)
                let wait = (a.status.until ?? 0) - Int64(Date().timeIntervalSince1970 * 1_000)
                #expect(wait > 3_500_000 && wait <= 3_600_000, "\(wait)")
                let times = cloud.calls("records/modify").map(\.time)
                #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 1_000 }, "\(times)")
                try await cloud.bringIntoStep(a)
            }
            #expect(cloud.records.count == 1)
        }
    }

    @Test func `checklist 11: rows of one user are never sent with another user's token`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.run(cloud.plan("a")) { a in
                try await a.putItem("r", ["title": .string("ann's")])
                try await cloud.bringIntoStep(a)
            }
            try await cloud.run(cloud.plan("a", user: "_bob")) { a in
                try await a.putItem("unsent", ["title": .string("ann's")])
                let status = try await a.settle()
                #expect(status.state == "blocked" && status.pending == 1, "\(status)")
            }
            #expect(cloud.cloud.records(of: "_bob", in: CloudKitFixture.zone) == nil)
            #expect(cloud.records.count == 1)
        }
    }

    @Test func `checklist 12: a write is confirmed by its answer, a lookup or the feed, never by a query, whose index is behind`() async throws {
        try await CloudKitFixture.with { cloud in
            try await cloud.runTwo { a, b in
                cloud.cloud.script(Fault("records/modify", .loseAnswer))
                try await a.putItem("r", ["title": .string("x")])
                try await cloud.bringIntoStep(a, b)
                #expect(try await b.row(named: RecordName("r")).attributes["title"] == .string("x"))
            }
            #expect(cloud.calls("records/query").isEmpty)
        }
    }
}

extension JSONValue {
    /// A field as another client writes it.
    static func typed(_ type: String, _ value: JSONValue) -> JSONValue {
        .object(JSONObject(members: [(key: "value", value: value), (key: "type", value: .string(type))]))
    }
}
