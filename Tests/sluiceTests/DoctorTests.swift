import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
    /// An account that has run, and a home that lets helpers pass.
    private final class Home {
        let path = "/var/tmp/sluice-doctor-\(UUID().uuidString)"
        var state: String { "\(path)/state" }
        var store: String { "\(state)/Private.store" }
        var group: String { "\(path)/groups/shopping" }
        var token: String { "\(path)/config/token" }
        private let sluice: BuiltProgram

        init() throws {
            sluice = try BuiltProgram("sluice")
            let config = "\(path)/config/accounts.d"
            for (folder, mode) in [(path, 0o755), ("\(path)/groups", 0o755), (group, 0o2750), (state, 0o700), (config, 0o700)] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try setMode(mode, folder)
            }
            try Data("secret".utf8).write(to: URL(filePath: token))
            try setMode(0o600, token)
            try writeAccount()
            let attributes = [Attribute("title", .string), Attribute("data", .data, isOptional: true, isExternal: true)]
            var options = Store.Options(zone: "shop")
            options.owner = "account a"
            let schema = try Schema(name: "shop", version: SchemaVersion(1, 0, 0), validating: [Entity("Item", attributes: attributes)])
            let store = try Store(path: store, schema: schema, options: options)
            let edit = RowEdit(attributes: ["title": .string("x"), "data": .data(Data(count: 200_000))])
            _ = try store.write { try store.put("Item", name: .text("i"), edit) }
            _ = try store.connection.checkpoint()
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { print("could not remove \(path): \(error)") }
        }

        func setMode(_ mode: Int, _ path: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }

        func writeAccount(unixGroup: String? = nil, schemaVersion: String = "1.0.0") throws {
            let schemas = "\(path)/config/schemas"
            try? FileManager.default.removeItem(atPath: schemas)
            try FileManager.default.createDirectory(atPath: schemas, withIntermediateDirectories: true)
            let schema = """
                schema: shop
                version: \(schemaVersion)
                entities:
                  Item:
                    attributes:
                      title: string
                      data: {type: data, optional: true, external: true}
                """
            try Data(schema.utf8).write(to: URL(filePath: "\(schemas)/\(schemaVersion).yaml"))
            let text = """
                service:
                  url: https://127.0.0.1:1
                  container: iCloud.test
                  environment: development
                credentials:
                  userTokenFile: \(token)
                schema:
                  path: \(schemas)
                synced:
                  stateDirectory: \(state)
                local:
                  group: shopping
                  groupsDirectory: \(path)/groups
                \(unixGroup.map { "  unixGroup: \($0)" } ?? "")
                """
            try Data(text.utf8).write(to: URL(filePath: "\(path)/config/accounts.d/a.yaml"))
        }

        /// What is found of the account; the machine's clock is what it is.
        func findings(_ more: [String] = []) throws -> (code: Int32, lines: [Line]) {
            let outcome = try sluice.run(["doctor", "--json", "--config", "\(path)/config"] + more)
            let lines = try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            return (outcome.code, lines.filter { $0.account == "a" })
        }

        func shell(_ command: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command]
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }

        func text() throws -> BuiltProgram.Outcome { try sluice.run(["doctor", "--config", "\(path)/config"]) }
    }

    private struct Line: Decodable {
        let account: String?
        let severity: String
        let finding: String
        let remedy: String
    }

    private let home: Home

    init() throws { home = try Home() }

    @Test func `of an account that is well nothing is found, while its store is open too`() throws {
        let connection = try Connection(path: home.store, mode: .readWrite)
        try connection.execute("BEGIN IMMEDIATE")
        let (_, lines) = try home.findings(["--deep"])
        #expect(lines.map(\.finding) == [])
    }

    @Test func `modes that are wrong are named with the command that sets them right, and those commands do`() throws {
        try home.setMode(0o755, home.state)
        try home.setMode(0o755, home.group)
        try home.setMode(0o700, "\(home.path)/groups")
        try Data("rotated".utf8).write(to: URL(filePath: home.state + "/token"))
        try home.setMode(0o644, home.state + "/token")
        let (code, lines) = try home.findings()
        #expect(code == 78)
        #expect(
            Set(lines.map(\.remedy)) == [
                "chmod 700 \(home.state)", "chmod 2750 \(home.group)", "chmod o+x \(home.path)/groups", "chmod 600 \(home.state)/token",
            ])
        for line in lines { #expect(try home.shell(line.remedy) == 0) }
        #expect(try home.findings().lines.isEmpty)
    }

    @Test func `files that helpers cannot read, and files of another user, are named with the command that mends them`() throws {
        let external = "\(home.group)/.Local_SUPPORT"
        for folder in [external, "\(external)/ab"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try home.setMode(0o2750, folder)
        }
        let files = ["Local.1.store", "Local.1.store-wal", "Local.1.store-shm", "defaults.json", ".Local_SUPPORT/ab/value"].map { "\(home.group)/\($0)" }
        for file in files {
            try Data().write(to: URL(filePath: file))
            try home.setMode(0o640, file)
        }
        #expect(try home.findings().lines.map(\.finding) == [])
        for file in files { try home.setMode(0o600, file) }
        try home.setMode(0o700, external)
        // Nobody but the coordinator reads these.
        try Data().write(to: URL(filePath: "\(home.group)/.defaults.json.new"))
        let isRoot = geteuid() == 0
        if isRoot {
            #expect(chown(home.state + "/Private.store-wal", 65_534, 65_534) == 0 || errno == ENOENT)
            try Data().write(to: URL(filePath: home.state + "/foreign"))
            #expect(chown(home.state + "/foreign", 65_534, 65_534) == 0)
            #expect(chown(files[0], uid_t.max, 65_534) == 0)
        }
        let (code, lines) = try home.findings()
        #expect(code == 78)
        #expect(lines.count == (isRoot ? 4 : 2), "\(lines.map(\.finding))")
        for line in lines { #expect(try home.shell(line.remedy) == 0, "\(line.remedy)") }
        #expect(try home.findings().lines.map(\.finding) == [])
    }

    @Test func `a copy that a killed rehearsal left is found`() throws {
        let folder = "\(home.state)/.Private.store.rehearsal-4194305"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try home.findings().lines.map(\.remedy) == ["rm -r \(folder)"])
    }

    @Test func `a group that is not there, a foreign owner and a token that others may read are found`() throws {
        try home.writeAccount(unixGroup: "sluice-nobody-has-this")
        #expect(try home.findings().lines.map(\.remedy) == ["groupadd sluice-nobody-has-this"])
        try home.writeAccount()
        do {
            let connection = try Connection(path: home.store, mode: .readWrite)
            try connection.run("UPDATE _sluice_store SET value = 'account b' WHERE key = 'owner'")
        }
        let foreign = try #require(try home.findings().lines.first)
        #expect(foreign.finding.contains("belongs to account b") && foreign.remedy.contains("mv "))
        // The account file itself has a fault then.
        try home.setMode(0o640, home.token)
        #expect(try home.findings().lines.map(\.remedy) == ["chmod 600 \(home.token)"])
    }

    @Test func `a damaged store is damage, and the newest sound backup is named`() throws {
        try StoreBackup.make(of: home.store, label: "manual", at: Date(timeIntervalSince1970: 1_790_000_000))
        let sound = try #require(try StoreBackup.all(of: home.store).first)
        let bad = try StoreBackup.make(of: home.store, label: "manual")
        try Data("rubbish".utf8).write(to: URL(filePath: bad.path))
        var bytes = try Data(contentsOf: URL(filePath: home.store))
        bytes.replaceSubrange(8_192..<40_960, with: Data(repeating: 0x5A, count: 32_768))
        try bytes.write(to: URL(filePath: home.store))
        let (code, lines) = try home.findings()
        #expect(code == 65 && lines.map(\.severity) == ["damage"])
        #expect(lines.first?.remedy == "stop the coordinator && sluice restore \(sound.name) --account a --yes")
    }

    @Test func `a value that is lost, or not what it was, is damage`() throws {
        let support = "\(home.state)/.Private_SUPPORT"
        let file = try #require(FileManager.default.enumerator(atPath: support)?.compactMap { $0 as? String }.first { $0.count > 10 })
        try Data(repeating: 1, count: 200_000).write(to: URL(filePath: "\(support)/\(file)"))
        // Only who reads it can see that.
        #expect(try home.findings().lines.isEmpty)
        #expect(try home.findings(["--deep"]).code == 65)
        try FileManager.default.removeItem(atPath: "\(support)/\(file)")
        #expect(try home.findings().code == 65)
    }

    @Test func `a store that is newer than the schema files or than this program is found, and so is what killed programs left`() throws {
        try home.writeAccount(schemaVersion: "0.9.0")
        #expect(try home.findings().lines.first?.remedy.contains("1.0.0.yaml") == true)
        do {
            let connection = try Connection(path: home.store, mode: .readWrite)
            try connection.execute("PRAGMA user_version = 99")
        }
        #expect(try home.findings().lines.map(\.remedy) == ["update Sluice's programs"])
        let left = "\(home.store).backups/.manual-20260101T000000Z.partial"
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        #expect(try home.findings().lines.last?.remedy == "rm -r \(left)")
        let text = try home.text()
        #expect(text.output.contains("a: warning: \(left) was left by a program that was killed. Mend it: rm -r \(left)\n"))
        #expect(text.code == 78)
    }
}
