import Foundation
import SluiceData
import SluiceSQLite
import Testing

/// Store files of released versions, as programs of that time left them. Nobody makes them anew when something changes: that they still open is
/// the point.
@Suite(.timeLimit(.minutes(10))) struct FixtureStoreTests {
    private let store: MigrationFixture

    init() throws { store = try MigrationFixture() }

    /// The store opens as the newest version, from a copy: the fixture never changes.
    private func open(_ version: Int) throws -> ModelContainer {
        if !FileManager.default.fileExists(atPath: store.url.path) {
            try FileManager.default.copyItem(at: CabinetFixture.url(version), to: store.url)
        }
        return try store.open(CabinetV3.self, plan: CabinetPlan.self)
    }

    @Test(arguments: [(1, "none"), (2, "second"), (3, "third")])
    func `behaviours 63, 65: a store file of each released version has its rows, relationships and values as the newest`(
        version: Int, note: String
    ) throws {
        #expect(try CabinetFixture.lines(open(version)) == CabinetFixture.expected(note: note))
        #expect(try CabinetFixture.lines(open(version)) == CabinetFixture.expected(note: note))
        #expect(try Connection(path: store.url.path, mode: .readOnly).integrityFaults().isEmpty)
        #expect(try store.backups.isEmpty == (version == 3))
    }

    @Test(arguments: 1...3)
    func `behaviour 63: what is unique, and what goes with what, holds in an upgraded store file of each version`(version: Int) throws {
        let context = ModelContext(try open(version))
        // Another way to write the same text.
        context.insert(CabinetV3.Drawer(name: "caf\u{E9}", opened: nil))
        context.insert(CabinetV3.Tag(name: "red"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<CabinetV3.Drawer>()) == 2)
        #expect(try context.fetchCount(FetchDescriptor<CabinetV3.Tag>()) == 2)
        for drawer in try context.fetch(FetchDescriptor<CabinetV3.Drawer>()) { context.delete(drawer) }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<CabinetV3.Box>()) == 0)
        #expect(try context.fetch(FetchDescriptor<CabinetV3.Tag>()).allSatisfy { $0.boxes.isEmpty })
    }

    @Test(arguments: 1...3) func `a store that this program makes of each version upgrades to the same`(version: Int) throws {
        try CabinetFixture.make(version, at: store.url)
        #expect(try CabinetFixture.lines(open(version)) == CabinetFixture.expected(note: ["none", "second", "third"][version - 1]))
    }

    /// For a version that is released: `SLUICE_FIXTURES=write swift test --filter FixtureStoreTests`. A file that is there stays.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SLUICE_FIXTURES"] == "write")) func `fixtures that are missing are made`() throws {
        for version in 1...3 where !FileManager.default.fileExists(atPath: CabinetFixture.url(version).path) {
            let made = try MigrationFixture()
            try CabinetFixture.make(version, at: made.url)
            try Connection.copyDatabase(from: made.url.path, to: CabinetFixture.url(version).path)
        }
    }
}
