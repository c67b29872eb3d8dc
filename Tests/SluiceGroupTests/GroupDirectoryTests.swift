import Foundation
import Glibc
import SluiceReader
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

@Suite struct GroupDirectoryTests {
    private func status(_ path: String) -> stat {
        var status = stat()
        #expect(lstat(path, &status) == 0, "\(path)")
        return status
    }

    private func mode(_ path: String) -> mode_t { status(path).st_mode & 0o7777 }

    @Test(arguments: [0o000, 0o022, 0o077, 0o777] as [mode_t])
    func `modes do not depend on the umask of whoever starts the coordinator`(mask: mode_t) async throws {
        let fixture = try GroupFixture(.shop)
        let folder = fixture.folder.path
        // In a process of its own: the umask is one for all threads.
        await #expect(processExitsWith: .success) { [folder = folder as String, mask = mask as mode_t] in
            let store = try GroupFixture.openStore(URL(fileURLWithPath: folder), .shop)
            umask(mask)
            let writer = try LocalStoreWriter(
                group: GroupDirectory(preparing: "\(folder)/deep/er/group", unixGroup: nil), projections: [Projection("Item")],
                privateStoreSchema: store.layout.schema)
            try writer.update(from: store)
        }
        let group = fixture.path("deep/er/group")
        #expect(mode(group) == 0o2750)
        #expect(mode("\(group)/Legacy") == 0o700)
        #expect(mode(fixture.path("deep/er")) == 0o755)
        for name in ["Local.1.store", "Local.1.store-wal", "Local.1.store-shm", "defaults.json"] {
            #expect(mode("\(group)/\(name)") == 0o640, "\(name)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory to any group"))
    func `everything in the container belongs to its group`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try LocalStoreWriter(
            group: GroupDirectory(preparing: fixture.path("group"), unixGroup: "nogroup"), projections: [Projection("Item")],
            privateStoreSchema: fixture.store.layout.schema)
        let file = try writer.update(from: fixture.store).file
        let expected = status(fixture.path("group")).st_gid
        #expect(expected != getegid())
        for name in [file.name, "\(file.name)-wal", "\(file.name)-shm", "defaults.json"] {
            #expect(status("\(fixture.path("group"))/\(name)").st_gid == expected, "\(name)")
        }
    }

    @Test func `an existing container keeps its files and gets its modes back`() throws {
        let fixture = try GroupFixture(.shop)
        _ = try fixture.directory()
        #expect(chmod(fixture.path("group"), 0o777) == 0)
        try Data().write(to: URL(fileURLWithPath: fixture.path("group/keep")))
        _ = try fixture.directory()
        #expect(mode(fixture.path("group")) == 0o2750)
        #expect(FileManager.default.fileExists(atPath: fixture.path("group/keep")))
    }

    @Test func `files of an existing container get their modes back, whatever somebody made of them`() throws {
        let fixture = try GroupFixture(.shop)
        let writer = try LocalStoreWriter(
            group: fixture.directory(), projections: [Projection("Item")], privateStoreSchema: fixture.store.layout.schema)
        let file = try writer.update(from: fixture.store).file
        let paths = [file.name, "\(file.name)-wal", "\(file.name)-shm", "defaults.json"].map { fixture.path("group/\($0)") }
        for (path, mode) in zip(paths, [0o600, 0o666, 0o400, 0o777] as [mode_t]) { #expect(chmod(path, mode) == 0) }
        try Data().write(to: URL(fileURLWithPath: fixture.path("group/other")))
        #expect(chmod(fixture.path("group/other"), 0o600) == 0)
        _ = try fixture.directory()
        for path in paths { #expect(mode(path) == 0o640, "\(path)") }
        #expect(mode(fixture.path("group/other")) == 0o600)
    }

    @Test func `a link in the place of a store's file is refused by name, and what it leads to is left alone`() throws {
        let fixture = try GroupFixture(.shop)
        _ = try fixture.directory()
        try Data().write(to: URL(fileURLWithPath: fixture.path("outside")))
        #expect(chmod(fixture.path("outside"), 0o600) == 0)
        #expect(symlink(fixture.path("outside"), fixture.path("group/Local.1.store")) == 0)
        #expect(throws: GroupError.self) { try fixture.directory() }
        #expect(mode(fixture.path("outside")) == 0o600)
    }

    @Test func `a group that does not exist, a file and a link in its place are refused by name`() throws {
        let fixture = try GroupFixture(.shop)
        #expect(throws: GroupError.self) { try GroupDirectory(preparing: fixture.path("group"), unixGroup: "no-such-group") }
        #expect(!FileManager.default.fileExists(atPath: fixture.path("group")))
        try Data().write(to: URL(fileURLWithPath: fixture.path("file")))
        #expect(throws: GroupError.self) { try GroupDirectory(preparing: fixture.path("file"), unixGroup: nil) }
        #expect(symlink(fixture.folder.path, fixture.path("link")) == 0)
        #expect(throws: GroupError.self) { try GroupDirectory(preparing: fixture.path("link"), unixGroup: nil) }
    }

    @Test func `the pointer is replaced whole, and nothing is left beside it`() throws {
        let fixture = try GroupFixture(.shop)
        let directory = try fixture.directory()
        let pointer = ContainerPointer(file: LocalStoreFile(number: 7), state: .current, schemaVersion: "1.0.0", generation: 3)
        try Data("half of".utf8).write(to: URL(fileURLWithPath: fixture.path("group/.defaults.json.new")))
        try directory.write(pointer)
        #expect(directory.pointer() == pointer)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path("group")).sorted() == ["Legacy", "defaults.json"])
    }
}
