import Foundation
import SluiceRecordService
import SluiceRecords
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// Field report 29 against the real service: a zone goes for one of three reasons, while two devices sync with it.
@Suite(.timeLimit(.minutes(10))) struct ZoneDeletionTests {
    private func put(_ account: AccountRuntime, _ title: String) async throws {
        _ = try await account.put(PutRequest(entity: "Item", properties: ["title": .string(title)]))
    }

    private func titles(_ account: AccountRuntime) async throws -> [String] {
        try await account.query(QueryRequest(entity: "Item")).rows.compactMap { row in
            if case .string(let title)? = row.attributes["title"] { title } else { nil }
        }.sorted()
    }

    /// What the service holds.
    private func records(_ fixture: SyncFixture) async throws -> Int? {
        do {
            let page = try await fixture.storage.zoneChanges(FeedQuery(zone: ZoneID("shop"), limit: 1_000), in: fixture.database())
            return page.records.count { !$0.head.isDeleted }
        } catch StorageError.zoneNotFound, StorageError.zoneDeleted { return nil }
    }

    private func modifyZone(_ fixture: SyncFixture, _ kind: ZoneOperation.Kind, _ reason: ZoneDeletionReason? = nil) async throws {
        let results = try await fixture.storage.modifyZones([ZoneOperation(kind, ZoneID("shop"), deletionReason: reason)], in: fixture.database())
        guard case .zone? = results.first else { throw ControlFailure(code: "internal", message: "\(results)") }
    }

    /// Five synced rows; one more that is not sent; then the zone goes, and the device looks.
    private func afterDeletion(
        _ reason: ZoneDeletionReason, remade: Bool = false, _ body: @Sendable (SyncFixture, AccountRuntime) async throws -> Void
    ) async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(fixture.plan("a")) { a in
                for number in 1...5 { try await put(a, "synced \(number)") }
                _ = try await a.settle()
                _ = try await a.setPaused(true)
                try await put(a, "unsent")
                try await modifyZone(fixture, .delete, reason)
                if remade { try await modifyZone(fixture, .create) }
                _ = try await a.setPaused(false)
                _ = try await a.sync(SyncRequest(waits: true))
                try await body(fixture, a)
            }
        }
    }

    @Test func `deleted: the account stops until a person says recreate, and sends what was not sent`() async throws {
        try await afterDeletion(.deleted) { fixture, a in
            #expect(a.status.state == "blocked" && a.status.advice?.contains("sluice zone recreate") == true)
            #expect(try await titles(a) == ["unsent"])
            try await put(a, "later")
            #expect(try await a.sync(SyncRequest(waits: true)).state == "blocked")
            #expect(try await records(fixture) == nil)
            #expect(try await a.recreateZone(SyncRequest(waits: true)).state == "idle")
            #expect(try await records(fixture) == 2)
            let other = try await fixture.run(fixture.plan("b")) { b in
                _ = try await b.settle()
                return try await titles(b)
            }
            #expect(other == ["later", "unsent"])
        }
    }

    @Test func `deleted: a restart does not forget that a person has to speak, and forget begins anew`() async throws {
        try await SyncFixture.with { fixture in
            let plan = try fixture.plan("a")
            try await fixture.run(plan) { a in
                try await put(a, "synced")
                _ = try await a.settle()
                await #expect(throws: ControlFailure.self) { try await a.forgetZone(SyncRequest(waits: false)) }
            }
            try await modifyZone(fixture, .delete, .deleted)
            try await fixture.run(plan) { a in
                try await put(a, "unsent")
                #expect(try await a.sync(SyncRequest(waits: true)).state == "blocked")
            }
            try await fixture.run(plan) { a in
                #expect(try await a.sync(SyncRequest(waits: true)).state == "blocked")
                #expect(try await a.forgetZone(SyncRequest(waits: true)).state == "idle")
                #expect(try await titles(a).isEmpty)
                try await put(a, "new")
                #expect(try await a.settle().state == "idle")
                #expect(try await records(fixture) == 1)
            }
        }
    }

    @Test func `purged: nothing is sent again, what was not sent is set aside, and what is new is sent without a word`() async throws {
        try await afterDeletion(.purged) { fixture, a in
            #expect(a.status.state == "idle", "\(a.status)")
            #expect(try await titles(a) == ["unsent"] && a.status.setAsideCount == 1)
            #expect(try await records(fixture) == nil)
            try await put(a, "later")
            #expect(try await a.settle().state == "idle")
            #expect(try await records(fixture) == 1)
            // A device that comes later has nothing of what was purged.
            let other = try await fixture.run(fixture.plan("b")) { b in
                _ = try await b.settle()
                return try await titles(b)
            }
            #expect(other == ["later"])
        }
    }

    @Test func `reset of encrypted data: everything here is sent again`() async throws {
        try await afterDeletion(.encryptedDataReset) { fixture, a in
            #expect(a.status.state == "idle", "\(a.status)")
            let (here, there) = (try await titles(a).count, try await records(fixture))
            #expect(here == 6 && there == 6)
        }
    }

    @Test(arguments: [ZoneDeletionReason.deleted, .purged, .encryptedDataReset])
    func `a zone that was made again while the device was away: the reason counts all the same`(reason: ZoneDeletionReason) async throws {
        try await afterDeletion(reason, remade: true) { fixture, a in
            let status = try await a.settle()
            #expect(status.state == "idle", "\(status)")
            let expected: [String] = reason == .encryptedDataReset ? (1...5).map { "synced \($0)" } + ["unsent"] : ["unsent"]
            #expect(try await titles(a) == expected.sorted())
            #expect(try await records(fixture) == (reason == .purged ? 0 : expected.count))
            #expect(status.setAsideCount == (reason == .purged ? 1 : 0))
        }
    }

    @Test func `a zone that the service never heard of is one that it lost: everything is sent again without a word`() async throws {
        try await SyncFixture.with { fixture in
            try await fixture.run(fixture.plan("a")) { a in
                for number in 1...5 { try await put(a, "synced \(number)") }
                _ = try await a.settle()
                // As after an older copy took the place of the service's file.
                try fixture.forgetZones()
                #expect(try await a.settle().state == "idle")
                #expect(try await records(fixture) == 5)
            }
        }
    }
}
