import Foundation
import SluiceReader
import SluiceRecords
import SluiceSchema
import Testing

@testable import SluiceCoordinator

/// Test data that is beside the checkout on some machines and nowhere else.
enum LegacySample: String, CaseIterable {
    case screenTime = "RMAdminStore-Local.sqlite"
    case notes = "NoteStore.sqlite"

    var path: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/legacy-stores/\(rawValue)").standardizedFileURL.path
    }

    static var arePresent: Bool { allCases.allSatisfy { FileManager.default.fileExists(atPath: $0.path) } }

    /// From the README beside the files.
    var counts: [String: Int] {
        switch self {
        case .screenTime:
            [
                "UsageBlock": 744, "UsageCategory": 497, "UsageCountedItem": 719, "UsageTimedItem": 777, "InstalledApp": 156, "Usage": 3,
                "UserDeviceState": 3,
            ]
        case .notes:
            [
                "ICCloudState": 31, "ICDeviceMigrationState": 16, "ICNote": 8, "ICNoteData": 8, "ICServerChangeToken": 4, "ICFolder": 3,
                "ICAccount": 1,
            ]
        }
    }
}

@Suite(.enabled(if: LegacySample.arePresent, "the legacy stores are not beside this checkout"), .timeLimit(.minutes(10)))
struct LegacySyncTests {
    private func plan(_ fixture: SyncFixture, _ name: String, _ source: String?) throws -> AccountPlan {
        var plan = try fixture.plan(name)
        plan.schema = .fromLegacy(name: "shop")
        plan.group = GroupPlan(directory: fixture.folder.appending(path: "groups/\(name)").path, unixGroup: nil, projections: [])
        if let source { plan.legacy = LegacyPlan(sources: [.init(path: source)], keep: nil) }
        return plan
    }

    @Test(arguments: LegacySample.allCases)
    func `a legacy store is imported, synced and read by a helper, and a second device that imports it too doubles nothing`(
        sample: LegacySample
    ) async throws {
        try await SyncFixture.with { fixture in
            let source = fixture.folder.appending(path: "legacy.sqlite").path
            try FileManager.default.copyItem(atPath: sample.path, toPath: source)
            let before = try Data(contentsOf: URL(filePath: source))
            let plan = try plan(fixture, "a", source)
            let first = try await fixture.run(plan) { try await $0.settle() }
            #expect(first.state == "idle", "\(first.reason ?? "")")
            #expect(first.legacy.map(\.state) == ["imported"])
            for (entity, count) in sample.counts { #expect(first.entities[entity] == count, "\(entity)") }
            #expect(first.setAsideCount == 0)
            let group = try #require(plan.group)
            try expectHelperSees(sample.counts, in: group.directory)

            let second = try await fixture.run(self.plan(fixture, "b", source)) { try await $0.settle() }
            #expect(second.digest == first.digest)
            #expect(second.entities == first.entities)
            let after = try Data(contentsOf: URL(filePath: source))
            #expect(after == before)

            // A device without the file: the schema comes from the first device's store, as a schema file would bring it.
            var empty = try self.plan(fixture, "c", nil)
            let schema = try SluiceStoreSchema.read(plan.stateDirectory)
            empty.schema = .fixed(try #require(schema))
            let third = try await fixture.run(empty) { try await $0.settle() }
            #expect(third.digest == first.digest)

            try FileManager.default.removeItem(atPath: plan.stateDirectory)
            let again = try await fixture.run(plan) { try await $0.settle() }
            #expect(again.digest == first.digest)
            #expect(again.entities == first.entities)
        }
    }

    private func expectHelperSees(_ counts: [String: Int], in directory: String) throws {
        let container = GroupContainer(directory: directory)
        try container.read { snapshot in
            for (entity, count) in counts {
                let found = try snapshot.count(of: entity)
                #expect(found >= count, "\(entity)")
            }
        }
    }
}
