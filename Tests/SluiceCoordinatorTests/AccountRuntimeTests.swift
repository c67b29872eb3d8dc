import Foundation
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import Testing

@testable import SluiceCoordinator

@Suite(.timeLimit(.minutes(10))) struct AccountRuntimeTests {
    private func put(_ account: AccountRuntime, _ entity: String, _ title: String) async throws -> String {
        try await account.put(PutRequest(entity: entity, properties: ["title": .string(title)])).name
    }

    @Test func `what one device puts arrives on another over TLS, and both have the same digest`() async throws {
        try await SyncFixture.with { fixture in
            let first = try await fixture.run(fixture.plan("a")) { account in
                for index in 0..<300 { _ = try await put(account, "Item", "item \(index)") }
                return try await account.settle()
            }
            #expect(first.state == "idle", "\(first.reason ?? "")")
            #expect(first.pending == 0)
            let second = try await fixture.run(fixture.plan("b")) { try await $0.settle() }
            #expect(second.entities == ["Item": 300, "List": 0])
            #expect(second.digest == first.digest)
        }
    }

    @Test func `a change on one device reaches another that only waits`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(fixture.plan("a")) { a in
                try await fixture.run(fixture.plan("b")) { b in
                    _ = try await a.settle()
                    _ = try await b.settle()
                    let name = try await put(a, "Item", "news")
                    let arrived = try await eventually { (try? await b.row(named: RecordName(name))) != nil }
                    #expect(arrived, "\(fixture.log.all.suffix(20).joined(separator: "\n")) \(a.status) \(b.status)")
                }
            }
        }
    }

    @Test func `an unknown certificate blocks with a reason, sends nothing and keeps the change`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a", trusting: false)
            let status = try await fixture.run(plan) { account in
                _ = try await put(account, "Item", "x")
                return try await account.settle()
            }
            #expect(status.state == "blocked")
            #expect(status.reason?.contains("certificate") == true)
            #expect(status.pending == 1)
            let mended = try await fixture.run(fixture.plan("a")) { try await $0.settle() }
            #expect(mended.state == "idle")
            #expect(mended.pending == 0)
        }
    }

    @Test func `a token that the service does not know blocks, and another user's token is refused`() async throws {
        try await SyncFixture.with { fixture in
            let wrong = try fixture.plan("a", token: AccessTokenSample.unknown)
            let status = try await fixture.run(wrong) { try await $0.settle() }
            #expect(status.state == "blocked")
            #expect(status.advice?.contains("token") == true)
        }
    }

    @Test func `an account that crashed three times in a row stays on the ground until a person releases it`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            _ = try StateDirectory(path: plan.stateDirectory)
            try Data("3\n".utf8).write(to: URL(filePath: plan.stateDirectory + "/in-flight"))
            try await fixture.run(plan) { account in
                let isGrounded = try await eventually { account.status.state == "quarantined" }
                #expect(isGrounded)
                #expect(account.status.reason?.contains("sluice sync --account a --release") == true)
                await #expect(throws: ControlFailure.self) { try await account.sync(SyncRequest(waits: true)) }
                #expect(try FlightRecorder.release(stateDirectory: plan.stateDirectory))
                #expect(try await account.sync(SyncRequest(waits: true)).state == "idle")
            }
            #expect(!FileManager.default.fileExists(atPath: plan.stateDirectory + "/in-flight"))
        }
    }

    @Test func `a second coordinator on the same account is refused and told who holds it`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            try await fixture.run(plan) { _ in
                let error = await #expect(throws: CoordinatorError.self) { try await fixture.run(plan) { _ in } }
                #expect(error?.description.contains("process \(getpid())") == true)
            }
        }
    }

    @Test func `27 an overlong request is split by the service's limits, and one record that is too large fails alone`() async throws {
        var configuration = ServiceConfiguration()
        configuration.limits = ServiceLimits(operations: 40, bytes: 100_000)
        try await SyncFixture.with(configuration) { fixture in
            let status = try await fixture.run(fixture.plan("a")) { account in
                for index in 0..<130 { _ = try await put(account, "Item", "\(index)") }
                _ = try await account.put(
                    PutRequest(
                        entity: "Item",
                        properties: ["title": .string("large"), "data": .string(Data(count: 200_000).base64EncodedString())]))
                return try await account.settle()
            }
            #expect(status.pending == 0)
            #expect(status.setAsideCount == 1)
            let other = try await fixture.run(fixture.plan("b")) { try await $0.settle() }
            #expect(other.entities["Item"] == 130)
        }
    }

    @Test func `a large value lies in a file on every device, and travels in between`() async throws {
        try await SyncFixture.with { fixture in
            let value = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).base64EncodedString()
            let first = try await fixture.run(fixture.plan("a")) { account in
                _ = try await account.put(
                    PutRequest(entity: "Item", name: "large", properties: ["title": .string("large"), "data": .string(value)]))
                #expect(try await account.row(named: RecordName("large")).attributes["data"] == .string(value))
                return try await account.settle()
            }
            let plan = try fixture.plan("b")
            let second = try await fixture.run(plan) { account in
                let status = try await account.settle()
                let rows = try await account.query(QueryRequest(entity: "Item", filter: "data != nil")).rows
                #expect(rows.map { $0.attributes["data"] } == [.string(value)])
                return status
            }
            #expect(first.setAsideCount == 0 && first.digest == second.digest)
            let files = FileManager.default.enumerator(atPath: plan.stateDirectory + "/.Private_SUPPORT")?.compactMap { $0 as? String } ?? []
            #expect(files.filter { $0.contains("/") }.count == 1)
            #expect(try FileManager.default.attributesOfItem(atPath: plan.stateDirectory + "/.Private_SUPPORT")[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test func `a full quota waits with its reason and loses nothing`() async throws {
        var configuration = ServiceConfiguration()
        configuration.quota = 2_000
        try await SyncFixture.with(configuration) { fixture in
            let status = try await fixture.run(fixture.plan("a")) { account in
                for index in 0..<20 { _ = try await put(account, "Item", "item \(index)") }
                return try await account.settle()
            }
            #expect(status.state == "waiting")
            #expect(status.reason?.contains("quota") == true)
            #expect(status.entities["Item"] == 20)
            #expect(status.pending > 0)
        }
    }

    @Test func `the state directory is deleted and the next start ends with the same digest and no doubles`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            let first = try await fixture.run(plan) { account in
                for index in 0..<50 { _ = try await put(account, "Item", "item \(index)") }
                return try await account.settle()
            }
            try FileManager.default.removeItem(atPath: plan.stateDirectory)
            let again = try await fixture.run(plan) { try await $0.settle() }
            #expect(again.entities["Item"] == 50)
            #expect(again.digest == first.digest)
        }
    }

    @Test func `a paused account sends nothing, stays paused over a restart, and goes on when it is resumed`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            try await fixture.run(plan) { account in
                _ = try await account.settle()
                #expect(try await account.setPaused(true).state == "paused")
                _ = try await put(account, "Item", "x")
            }
            try await fixture.run(plan) { account in
                #expect(try await account.settle().state == "paused")
                #expect(try await account.settle().pending == 1)
                _ = try await account.setPaused(false)
                #expect(try await account.settle().pending == 0)
            }
        }
    }

    @Test func `the control socket speaks HTTP and answers errors with their kind`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            try await fixture.run(plan) { _ in
                let client = try ControlClient(account: "a", stateDirectory: plan.stateDirectory)
                let response: PutResponse = try await client.post(
                    "/v1/put", PutRequest(entity: "Item", properties: ["title": .string("t"), "price": .integer(3)]))
                let row: RowMessage = try await client.get("/v1/records/\(response.name)")
                #expect(row.attributes["price"] == .double(3) || row.attributes["price"] == .integer(3))
                let found: QueryResponse = try await client.post(
                    "/v1/query", QueryRequest(entity: "Item", filter: "price == 3 && title == \"t\""))
                #expect(found.count == 1)
                let failure = await #expect(throws: ControlFailure.self) {
                    let _: PutResponse = try await client.post("/v1/put", PutRequest(entity: "Nobody"))
                }
                #expect(failure?.code == "refused")
                let mode = try FileManager.default.attributesOfItem(atPath: plan.stateDirectory + "/control.sock")[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
        }
    }
}

/// Asks again and again until the answer is yes; gives up after a time that no healthy run needs.
func eventually(within limit: Duration = .seconds(60), _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}

enum AccessTokenSample {
    static let unknown = String(repeating: "0", count: 64)
}
