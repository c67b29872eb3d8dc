import Foundation
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Synchronization
import Testing

@testable import SluiceCoordinator

/// A coordinator that finds its store in an earlier version of the account's schema.
@Suite(.timeLimit(.minutes(10))) struct AccountMigrationTests {
    static let two = SchemaVersion(2, 0, 0)

    /// The fixture's schema with another property.
    static func later() throws -> Schema {
        try Schema(
            name: "shop", version: two,
            validating: SyncFixture.schema.map { entity in
                var entity = entity
                if entity.name == "Item" { entity.attributes.append(Attribute("shelf", .string, isOptional: true)) }
                return entity
            })
    }

    /// The account of `name` at the later version.
    static func plan(_ fixture: SyncFixture, _ name: String, after: @escaping @Sendable (Store) throws -> Void) throws -> AccountPlan {
        var plan = try fixture.plan(name)
        let wanted = try later()
        plan.schema = .fixed(wanted)
        plan.group = group(of: fixture)
        plan.upgradePlan = { held in
            UpgradePlan(
                "shop", versions: [.init("1.0.0", held), .init("2.0.0", wanted)], target: 1,
                stages: [UpgradeStage(from: 0, to: 1, name: "shelves", after: { try after($0) })])
        }
        return plan
    }

    static func group(of fixture: SyncFixture) -> GroupPlan {
        GroupPlan(directory: fixture.folder.appending(path: "group").path, unixGroup: nil, projections: [])
    }

    @Sendable static func fillShelves(_ store: Store) throws {
        try store.write {
            var names: [RecordName] = []
            try store.forEachRow(of: store.concreteEntity("Item")) { names.append($0.name) }
            for name in names { _ = try store.put("Item", name: name, RowEdit(attributes: ["shelf": .string("A")])) }
        }
    }

    /// An account of the first version with a few records, in step.
    static func prepare(_ fixture: SyncFixture, _ name: String = "a") async throws -> AccountStatus {
        var plan = try fixture.plan(name)
        plan.group = group(of: fixture)
        return try await fixture.run(plan) { account in
            for index in 0..<5 { _ = try await account.put(PutRequest(entity: "Item", properties: ["title": .string("item \(index)")])) }
            return try await account.settle()
        }
    }

    /// Holds a stage until it is told to go on.
    final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let arrived = Mutex(0)
        var arrivals: Int { arrived.withLock { $0 } }

        func pass() {
            arrived.withLock { $0 += 1 }
            semaphore.wait()
        }

        func open() { semaphore.signal() }
    }

    @Test func `behaviour 68: its store is migrated at start, what the stage made is sent, and a helper built for the new version opens`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await Self.prepare(fixture)
            let directory = Self.group(of: fixture).directory
            #expect(throws: ReaderError.self) { try GroupContainer(directory: directory, requiredVersion: Self.two).read { _ in } }
            let first = try await fixture.run(Self.plan(fixture, "a", after: Self.fillShelves)) { try await $0.settle() }
            #expect(first.state == "idle" && first.pending == 0, "\(first)")
            let reader = GroupContainer(directory: directory, requiredVersion: Self.two)
            #expect(try reader.read { try $0.count(of: "Item", where: RowFilter(parsing: "shelf == 'A'")) } == 5)
            let pointer = try String(contentsOf: URL(filePath: directory + "/defaults.json"), encoding: .utf8)
            #expect(pointer.contains(#""schemaVersion":"2.0.0""#) && pointer.contains(#""state":"current""#))
            var fresh = try fixture.plan("b")
            fresh.schema = .fixed(try Self.later())
            #expect(try await fixture.run(fresh) { try await $0.settle() }.digest == first.digest)
            #expect(fixture.log.all.contains { $0.contains("stage 1 of 1 took") && $0.contains("5 changes by its code") })
            #expect(!fixture.log.all.contains { $0.contains("item 0") })
        }
    }

    @Test func `behaviour 70: while it migrates helpers read what was there and everybody is told of the stage`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await Self.prepare(fixture)
            let directory = Self.group(of: fixture).directory
            let gate = Gate()
            let plan = try Self.plan(fixture, "a") { store in
                gate.pass()
                try Self.fillShelves(store)
            }
            try await fixture.run(plan) { account in
                let hasCome = try await eventually { gate.arrivals == 1 }
                #expect(hasCome)
                #expect(account.status.state == "migrating")
                #expect(account.status.migration == MigrationStatus(stage: 1, stageCount: 1, name: "shelves"))
                let progress = MigrationProgress(stage: 1, of: 1, named: "shelves")
                guard case .migrating(progress, let summary?) = GroupContainer(directory: directory).status() else {
                    Issue.record("\(GroupContainer(directory: directory).status())")
                    gate.open()
                    return
                }
                #expect(summary.schemaVersion == SchemaVersion(1, 0, 0))
                #expect(try GroupContainer(directory: directory).read { try $0.count(of: "Item") } == 5)
                let impatient = try ControlClient(account: "a", stateDirectory: plan.stateDirectory, waits: false)
                let put = PutRequest(entity: "Item", properties: ["title": .string("late"), "shelf": .string("B")])
                let failure = await #expect(throws: ControlFailure.self) {
                    let _: PutResponse = try await impatient.post("/v1/put", put)
                }
                #expect(failure?.code == "migrating")
                let asked: AccountStatus = try await impatient.get("/v1/status?counts=1")
                #expect(asked.state == "migrating")
                let patient = try ControlClient(account: "a", stateDirectory: plan.stateDirectory)
                async let response: PutResponse = patient.post("/v1/put", put)
                gate.open()
                #expect(try await response.outcome == "inserted")
                #expect(try await account.settle().entities["Item"] == 6)
                #expect(account.status.migration == nil)
            }
        }
    }

    @Test func `a stage that fails leaves the store as it was, is shown, and is tried again only when somebody asks`() async throws {
        try await SyncFixture.with { fixture in
            let before = try await Self.prepare(fixture)
            let attempts = Mutex(0)
            struct Broken: Error, CustomStringConvertible { let description = "no shelf is free" }
            let plan = try Self.plan(fixture, "a") { store in
                let attempt = attempts.withLock { $0 += 1; return $0 }
                try Self.fillShelves(store)
                if attempt == 1 { throw Broken() }
            }
            try await fixture.run(plan) { account in
                let hasCome = try await eventually { account.status.state == "blocked" }
                #expect(hasCome)
                #expect(account.status.reason?.contains("no shelf is free") == true)
                for _ in 0..<3 {
                    await #expect(throws: ControlFailure.self) { try await account.history(after: 0, limit: 1) }
                    await account.openStore()
                }
                #expect(attempts.withLock { $0 } == 1)
                #expect(try SluiceStoreSchema.read(plan.stateDirectory)?.version == SchemaVersion(1, 0, 0))
                guard case .current = GroupContainer(directory: Self.group(of: fixture).directory).status() else {
                    Issue.record("\(GroupContainer(directory: Self.group(of: fixture).directory).status())")
                    return
                }
                let after = try await account.settle()
                #expect(after.state == "idle" && after.entities == before.entities)
                #expect(attempts.withLock { $0 } == 2)
            }
        }
    }

    @Test func `a store that cannot be read for a moment is tried again by itself`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await Self.prepare(fixture)
            let plan = try Self.plan(fixture, "a", after: Self.fillShelves)
            let backups = plan.stateDirectory + "/Private.store.backups"
            // Where the folder of backups should be, a file is: no backup can be made, and without one nothing is migrated.
            try Data().write(to: URL(filePath: backups))
            try await fixture.run(plan) { account in
                let isBlocked = try await eventually { account.status.state == "blocked" }
                #expect(isBlocked)
                try FileManager.default.removeItem(atPath: backups)
                // As housekeeping does every few seconds.
                await account.openStore()
                #expect(account.status.state != "blocked")
                #expect(try await account.settle().state == "idle", "\(account.status)")
            }
            #expect(try SluiceStoreSchema.read(plan.stateDirectory)?.version == Self.two)
        }
    }

    @Test func `a stop in the middle of a stage rolls back at once, and the next start migrates`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await Self.prepare(fixture)
            let hasBegun = Mutex(false)
            let endless = try Self.plan(fixture, "a") { store in
                hasBegun.withLock { $0 = true }
                _ = try store.connection.integer("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
            }
            try await fixture.run(endless) { account in
                let hasCome = try await eventually { hasBegun.withLock { $0 } }
                #expect(hasCome)
                account.announceStop()
            }
            #expect(try SluiceStoreSchema.read(endless.stateDirectory)?.version == SchemaVersion(1, 0, 0))
            #expect(!fixture.log.all.contains { $0.contains("interrupted") })
            let status = try await fixture.run(Self.plan(fixture, "a", after: Self.fillShelves)) { try await $0.settle() }
            #expect(status.state == "idle" && status.entities["Item"] == 5)
        }
    }

    @Test func `a store of a newer version is refused by name and stays as it is`() async throws {
        try await SyncFixture.with { fixture in
            _ = try await Self.prepare(fixture)
            _ = try await fixture.run(Self.plan(fixture, "a", after: Self.fillShelves)) { try await $0.settle() }
            try await fixture.run(fixture.plan("a")) { account in
                let hasCome = try await eventually { account.status.state == "blocked" }
                #expect(hasCome)
                #expect(account.status.reason?.contains("is of version 2.0.0") == true, "\(account.status.reason ?? "")")
            }
            #expect(try SluiceStoreSchema.read(fixture.plan("a").stateDirectory)?.version == Self.two)
        }
    }
}
