import Foundation
import SluiceSchema
import Testing

@testable import SluiceReader

@Suite struct GroupContainerTests {
    @Test(arguments: ["", ".", "..", "a/b", "/etc", "../shop", "a\0b"])
    func `a group's name never leads out of the groups directory`(name: String) {
        #expect(throws: ReaderError.invalidGroupName(name)) {
            try GroupContainer.open(name, groupsDirectory: "/groups", environment: [:])
        }
    }

    @Test func `containers are looked for where the user's data is, then where the system's is`() {
        #expect(
            GroupContainer.defaultGroupsDirectories(environment: ["XDG_DATA_HOME": "/data", "HOME": "/home/a"])
                == ["/data/sluice/groups", "/var/lib/sluice-groups"])
        #expect(
            GroupContainer.defaultGroupsDirectories(environment: ["XDG_DATA_HOME": "relative", "HOME": "/home/a"])
                == ["/home/a/.local/share/sluice/groups", "/var/lib/sluice-groups"])
        #expect(GroupContainer.defaultGroupsDirectories(environment: [:]) == ["/var/lib/sluice-groups"])
    }

    @Test func `a container that is nowhere has no store, and none is made`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)").path
        let container = try GroupContainer.open("shop", groupsDirectory: folder, environment: [:])
        #expect(container.directory == "\(folder)/shop")
        #expect(container.status() == .noStore)
        #expect(throws: ReaderError.noStore(path: "\(folder)/shop")) { try container.read { _ in } }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `each error has the exit status that the design gives it`() {
        let version = SchemaVersion(1, 0, 0)
        let statuses = [
            ReaderError.invalidGroupName("").exitStatus, ReaderError.damaged(path: "", reason: "").exitStatus,
            ReaderError.noStore(path: "").exitStatus, ReaderError.storeIsMissing(path: "").exitStatus,
            ReaderError.migrating(path: "", MigrationProgress(stage: 1, of: 1, named: "")).exitStatus,
            ReaderError.unavailable(path: "", reason: "").exitStatus, ReaderError.notPermitted(path: "").exitStatus,
            ReaderError.storeIsNewer(path: "").exitStatus, ReaderError.migrationRequired(path: "", found: version, wanted: version).exitStatus,
        ]
        #expect(statuses == [64, 65, 66, 66, 75, 75, 77, 78, 78])
    }
}
