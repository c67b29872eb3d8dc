import Foundation
import Glibc
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Field reports 07, 10 and R16, I-8: what a helper sees in each state of its coordinator.
@Suite struct HelperStateTests {
    static let users: [GlanceFixture.User] = GlanceFixture.isRoot ? [.own, .member] : [.own]

    @Test(arguments: users)
    func `10: both rows are seen while the writer runs, after it closed, and with an index of zeros`(user: GlanceFixture.User) throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        // A new store is checkpointed; the next row stays in the log.
        try fixture.writer.update(from: fixture.store)
        try fixture.put("bread")
        let generation = try fixture.writer.update(from: fixture.store)
        #expect(generation.rebuild == nil)
        let log = fixture.group.appending(path: "\(generation.file.name)-wal")
        #expect(try #require(try log.resourceValues(forKeys: [.fileSizeKey]).fileSize) > 0)
        #expect(try fixture.glance("count", "Item", as: user) == .init(status: 0, output: "2\n", errors: ""))
        try fixture.writer.close()
        #expect(try fixture.glance("count", "Item", as: user) == .init(status: 0, output: "2\n", errors: ""))
        #expect(try fixture.glance("list", "Item", "--fields", "title", "--order", "title", as: user).output == "bread\nmilk\n")
        // What a restart of the machine may leave. The writer's connection is closed: nothing else has the file open.
        try GlanceFixture.run(["truncate", "-s", "0", fixture.group.appending(path: "\(generation.file.name)-shm").path])
        #expect(try fixture.glance("count", "Item", as: user) == .init(status: 0, output: "2\n", errors: ""))
    }

    @Test(arguments: users)
    func `both rows are seen after the writer was killed`(user: GlanceFixture.User) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            let store = try GlanceFixture.openStore(folder)
            let writer = try GlanceFixture.openWriter(folder, schema: store.layout.schema)
            for title in ["milk", "bread"] {
                try store.write { try store.put("Item", RowEdit(attributes: ["title": .string(title)])) }
                try writer.update(from: store)
            }
            kill(getpid(), SIGKILL)
        }
        // The next coordinator; it has not opened the local store yet.
        let fixture = try GlanceFixture()
        try FileManager.default.removeItem(at: fixture.folder.appending(path: "groups"))
        try GlanceFixture.run(["mv", "\(folder)/groups", fixture.folder.path])
        try FileManager.default.removeItem(atPath: folder)
        #expect(try fixture.glance("count", "Item", as: user) == .init(status: 0, output: "2\n", errors: ""))
    }

    @Test(.enabled(if: GlanceFixture.isRoot, "only root can run a helper as another user"), arguments: ["-wal", "-shm", ""])
    func `10: a file that may not be read is a lack of permission, never a lack of data`(suffix: String) throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        let file = try fixture.writer.update(from: fixture.store).file
        #expect(chmod(fixture.group.appending(path: file.name + suffix).path, 0o600) == 0)
        let outcome = try fixture.glance("count", "Item", as: .member)
        #expect(outcome.status == 77)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("may not read"))
    }

    @Test(.enabled(if: GlanceFixture.isRoot, "only root can run a helper as another user"))
    func `who is not in the group may not read, and no helper may write`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store)
        #expect(try fixture.glance("count", "Item", as: .stranger).status == 77)
        #expect(try fixture.glance("status", as: .stranger).status == 77)
        let touch = try GlanceFixture.run([
            "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "touch", fixture.group.appending(path: "x").path,
        ])
        #expect(touch.status != 0)
    }

    @Test(arguments: users)
    func `without a store there is 66 and nothing is made`(user: GlanceFixture.User) throws {
        let fixture = try GlanceFixture()
        let before = try fixture.listing()
        for command in [["count", "Item"], ["list", "Item"], ["status"]] {
            let outcome =
                command.count == 1 ? try fixture.glance(command[0], as: user) : try fixture.glance(command[0], command[1], as: user)
            #expect(outcome.status == 66)
        }
        #expect(try fixture.listing() == before)
        let elsewhere = try GlanceFixture.run([
            "env", "-C", "/", GlanceFixture.program, "count", "Item", "--groups-dir", "nowhere", "--group", "x",
        ])
        #expect(elsewhere.status == 66)
        #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
    }

    @Test func `reading changes nothing, whoever reads`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store)
        try fixture.writer.close()
        // SQLite marks readers in the index; everything else stays as it is.
        let before = try fixture.listing().filter { !$0.contains("-shm") }
        for _ in 0..<3 { #expect(try fixture.glance("count", "Item").output == "1\n") }
        #expect(try fixture.listing().filter { !$0.contains("-shm") } == before)
    }

    @Test func `each kind of trouble has its own exit code`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        let file = try fixture.writer.update(from: fixture.store).file
        let path = fixture.group.appending(path: file.name).path
        #expect(try fixture.glance("count", "Item", "--requires", "2.0.0").status == 78)
        #expect(try fixture.glance("count", "Item", "--requires", "1.0.0").status == 0)
        #expect(try fixture.glance("count", "Item", "--stale-after", "1h").status == 75)
        #expect(try fixture.glance("count", "Nothing").status == 64)
        #expect(try fixture.glance("count", "Item", "--where", "title ==").status == 64)
        #expect(try fixture.glance("count", "Item", "--where", "nothing == 1").status == 64)
        #expect(try fixture.glance("list", "Item", "--fields", "nothing").status == 64)
        #expect(try fixture.glance("get", "nobody").status == 66)
        try fixture.writer.directory.announce(.migrating(MigrationProgress(stage: 1, of: 2, named: "V1toV2")))
        #expect(try fixture.glance("status").status == 75)
        #expect(try fixture.glance("count", "Item").output == "1\n")
        try fixture.writer.directory.announce(.current)
        try fixture.writer.close()

        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA user_version = 99")
        #expect(try fixture.glance("count", "Item").status == 78)
        try connection.execute("PRAGMA user_version = 1; UPDATE _sluice_store SET value = x'7B7D' WHERE key = 'schema'")
        #expect(try fixture.glance("count", "Item").status == 78)
    }

    @Test func `a damaged store, a pointer to nothing and a damaged pointer are told apart`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        let file = try fixture.writer.update(from: fixture.store).file
        try fixture.writer.close()
        let path = fixture.group.appending(path: file.name).path
        try GlanceFixture.run(["sh", "-c", "rm '\(path)-shm'"])
        #expect(try fixture.glance("count", "Item").status == 75)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
        let garbage = "printf 'garbage, and more of it than a header has' > '\(path)'"
        try GlanceFixture.run(["sh", "-c", "\(garbage); : > '\(path)-shm'; : > '\(path)-wal'"])
        #expect(try fixture.glance("count", "Item").status == 65)
        try GlanceFixture.run(["rm", path])
        #expect(try fixture.glance("count", "Item").status == 66)
        let pointer = fixture.group.appending(path: "defaults.json")
        try Data("{\"format\":2}".utf8).write(to: pointer)
        #expect(try fixture.glance("count", "Item").status == 78)
        try Data("{\"format\":1,\"generation\":1,\"state\":\"current\",\"file\":\"../../etc/passwd\"}".utf8).write(to: pointer)
        #expect(try fixture.glance("count", "Item").status == 65)
        try Data("{".utf8).write(to: pointer)
        #expect(try fixture.glance("status").status == 65)
        // The coordinator makes it all again.
        let next = try GlanceFixture.openWriter(fixture.folder.path, schema: fixture.store.layout.schema).update(from: fixture.store)
        #expect(next.rebuild == .noStore)
        #expect(try fixture.glance("count", "Item").output == "1\n")
    }
}
