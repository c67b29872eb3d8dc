import Foundation
import SluiceConfiguration
import SluiceSchema
import SluiceStore
import Testing

/// The commands as they are run; what they find is tested beside the libraries.
@Suite struct SchemaCommandTests {
    private let sluice: BuiltProgram
    private let folder: URL
    private var tasks: String { folder.appending(path: "tasks").path }

    init() throws {
        sluice = try BuiltProgram("sluice")
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "sluice-schema-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: package.appending(path: "Config/schemas/tasks").path, toPath: tasks)
    }

    private func cleanUp() { try? FileManager.default.removeItem(at: folder) }

    private func edit(_ file: String, _ old: String, _ new: String) throws {
        let text = try String(contentsOfFile: "\(tasks)/\(file)", encoding: .utf8)
        try Data(text.replacing(old, with: new).utf8).write(to: URL(filePath: "\(tasks)/\(file)"))
    }

    @Test func `the sample's versions are what was released`() throws {
        defer { cleanUp() }
        #expect(try sluice.run(["schema", "check", tasks]) == .init(code: 0, output: "", errors: "3 versions read, no fault found\n"))
    }

    @Test func `an edited version fails the check with 65, as text and as JSON`() throws {
        defer { cleanUp() }
        try edit("2.0.0.yaml", "'high' THEN 1", "'high' THEN 2")
        let outcome = try sluice.run(["schema", "check", tasks])
        #expect(outcome.code == 65)
        #expect(
            outcome.output.hasPrefix("\(tasks)/2.0.0.yaml:34:3: found another migration than version 2.0.0 was released with; expected "))
        #expect(outcome.errors == "3 versions read, 1 fault found\n")
        let json = try sluice.run(["schema", "check", "--json", tasks])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["line"] as? Int == 34)
        #expect(json.code == 65)
        try edit("2.0.0.yaml", "entities:", "entites:")
        #expect(try sluice.run(["schema", "check", tasks]).code == 65)
        #expect(try sluice.run(["schema", "check", "/nonexistent"]).code == 65)
    }

    @Test func `a new version is noted once, and then stays`() throws {
        defer { cleanUp() }
        try FileManager.default.removeItem(atPath: tasks + "/released.sums")
        #expect(try sluice.run(["schema", "check", tasks]).code == 65)
        let first = try sluice.run(["schema", "check", "--record", tasks])
        #expect(first.code == 0)
        #expect(first.errors.hasPrefix("noted as released: 1.0.0, 2.0.0, 3.0.0\n"))
        #expect(try sluice.run(["schema", "check", "--record", tasks]).errors.hasPrefix("nothing new is released\n"))
        #expect(try sluice.run(["schema", "check", "--record", tasks, tasks]).code == 64)
    }

    @Test func `a difference is a way, with marks where something goes`() throws {
        defer { cleanUp() }
        let outcome = try sluice.run(["schema", "diff", "\(tasks)/1.0.0.yaml", tasks])
        #expect(outcome.code == 0)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "1.0.0 → 2.0.0, after a backup")
        #expect(lines.contains("  before: deletes Task where trim(title) = '' AND NOT done"))
        #expect(lines.contains("! Task: drops attribute colour and its values"))
        #expect(lines.contains("  Task: renames attribute title to name"))
        #expect(lines.contains("2.0.0 → 3.0.0, after a backup"))
        let same = try sluice.run(["schema", "diff", tasks, tasks])
        #expect(same == .init(code: 0, output: "", errors: "the shapes are the same: nothing happens to a store\n"))
        let json = try sluice.run(["schema", "diff", "--json", "\(tasks)/1.0.0.yaml", tasks]).output.split(separator: "\n")
        #expect(json.count == 2)
        let back = try sluice.run(["schema", "diff", "\(tasks)/2.0.0.yaml", "\(tasks)/1.0.0.yaml"])
        #expect(back.code == 65)
        #expect(back.errors.contains("`wireName:"))
        #expect(try sluice.run(["schema", "diff", tasks, "/nonexistent.yaml"]).code == 66)
    }

    @Test func `a fixture goes through the versions, and its schema comes out as it went in`() throws {
        defer { cleanUp() }
        let store = folder.appending(path: "tasks.store").path
        let made = try sluice.run(["schema", "fixture", "\(tasks)/1.0.0.yaml", "-o", store, "--rows", "9"])
        #expect(made == .init(code: 0, output: "Project 9\nTask 9\n", errors: ""))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["tasks", "tasks.store"])
        #expect(try sluice.run(["schema", "fixture", "\(tasks)/1.0.0.yaml", "-o", store]).code == 73)
        #expect(try sluice.run(["schema", "fixture", "\(tasks)/1.0.0.yaml", "-o", store + "2", "--rows", "0"]).code == 64)

        let exported = folder.appending(path: "exported.yaml").path
        #expect(try sluice.run(["schema", "export", store, "-o", exported]).code == 0)
        #expect(try sluice.run(["schema", "export", store, "-o", exported]).code == 73)
        #expect(try SchemaFile.load(exported) == SchemaFile.load("\(tasks)/1.0.0.yaml"))
        #expect(try sluice.run(["schema", "export", store]).output == String(contentsOfFile: exported, encoding: .utf8))
        #expect(try sluice.run(["schema", "export", tasks + "/1.0.0.yaml"]).code == 65)
        #expect(try sluice.run(["schema", "export", "/nonexistent"]).code == 66)

        let releases = try SchemaFile.loadVersions(tasks)
        let upgrade = StoreUpgrade(path: store, wanted: releases[2].schema, options: .init(zone: "tasks")) { _ in
            UpgradePlan(releases: releases)
        }
        #expect(try upgrade.run().version == SchemaVersion(3, 0, 0))
        #expect(try sluice.run(["schema", "diff", store, tasks]).output == "")
    }

    @Test func `an account's schema is that of its synced store`() throws {
        defer { cleanUp() }
        let accounts = folder.appending(path: "config/accounts.d")
        try FileManager.default.createDirectory(at: accounts, withIntermediateDirectories: true)
        try Data("token".utf8).write(to: accounts.appending(path: "token"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: accounts.appending(path: "token").path)
        let text = """
            service: {url: "https://example.org", container: c}
            credentials: {userTokenFile: token}
            schema: {path: \(tasks)}
            synced: {stateDirectory: \(folder.path)/state}
            local: {group: tasks}
            """
        try Data(text.utf8).write(to: accounts.appending(path: "mine.yaml"))
        try FileManager.default.createDirectory(atPath: folder.path + "/state", withIntermediateDirectories: true)
        let arguments = ["schema", "export", "mine", "--config", folder.path + "/config"]
        #expect(try sluice.run(arguments).code == 66)
        var fixture = FixtureStore(try SchemaFile.load("\(tasks)/1.0.0.yaml"), rowCount: 2)
        _ = try fixture.make(at: folder.path + "/state/Private.store")
        let outcome = try sluice.run(arguments)
        #expect(outcome.code == 0)
        #expect(outcome.output.hasPrefix("schema: tasks\nversion: 1.0.0\n"))
        #expect(try sluice.run(["schema", "export", "other", "--config", folder.path + "/config"]).code == 78)
    }
}
