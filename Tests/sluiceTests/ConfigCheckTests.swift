import Foundation
import Testing

@Suite struct ConfigCheckTests {
    /// A folder with the samples, and what they need beside them.
    private final class Configuration {
        let path: String

        init() throws {
            let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            path = root.appending(path: "sluice-check-\(UUID().uuidString)").path
            try FileManager.default.copyItem(atPath: package.appending(path: "Config").path, toPath: path)
            for secret in ["credentials/sample-user-token", "certificates/localhost.pem", "certificates/localhost.key"] {
                try write(secret, "")
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ name: String, _ text: String) throws {
            let url = URL(filePath: path).appending(path: name)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        }
    }

    private let sluice: BuiltProgram

    init() throws { sluice = try BuiltProgram("sluice") }

    @Test func `the samples have no fault`() throws {
        let configuration = try Configuration()
        let outcome = try sluice.run(["config", "check", configuration.path])
        #expect(outcome == .init(code: 0, output: "", errors: "7 files read, no fault found\n"))
    }

    @Test func `without a path the configuration folder is checked, and relative paths are the caller's`() throws {
        let configuration = try Configuration()
        try FileManager.default.createDirectory(atPath: configuration.path + "/home", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: configuration.path + "/home/sluice", withDestinationPath: configuration.path + "/accounts.d")
        let environment = ["CONFIGURATION_DIRECTORY": "", "XDG_CONFIG_HOME": configuration.path + "/nowhere", "HOME": "/nowhere"]
        let named = try sluice.run(["config", "check", "accounts.d/sample.yaml"], environment: environment, in: configuration.path)
        #expect(named.errors == "1 files read, no fault found\n")
        let unit = try sluice.run(["config", "check"], environment: ["CONFIGURATION_DIRECTORY": configuration.path + "/home/sluice"])
        #expect(unit.errors.hasSuffix("found\n"))
        #expect(!unit.errors.hasPrefix("0 "))
    }

    @Test func `every fault of every file is printed once, and the program exits with 78`() throws {
        let configuration = try Configuration()
        try configuration.write("schemas/shopping/1.1.0.yaml", "entities:\n  Item:\n    atributes: {}\n")
        try configuration.write("accounts.d/empty.yaml", "")
        try configuration.write("accounts.d/tab.yaml", "service:\n\turl: x\n")
        let outcome = try sluice.run(["config", "check", configuration.path])
        let keys = "wireName, extends, abstract, localOnly, identity, unique, index, attributes, relationships"
        #expect(
            outcome
                == .init(
                    code: 78,
                    output: """
                        \(configuration.path)/accounts.d/empty.yaml:1:1: found an empty file; expected a mapping of keys
                        \(configuration.path)/schemas/shopping/1.1.0.yaml:3:5: found unknown key `atributes`; expected one of \(keys). \
                        Did you mean `attributes`?
                        \(configuration.path)/accounts.d/tab.yaml:2:1: found a tab in the indentation; expected spaces

                        """,
                    errors: "10 files read, 3 faults found\n"))
    }

    @Test func `a mapping file is known by its first key, wherever it lies`() throws {
        let configuration = try Configuration()
        try configuration.write("mappings/old.yaml", "mapping:\n  Thing:\n    nam: Item\n")
        let outcome = try sluice.run(["config", "check", configuration.path])
        #expect(outcome.code == 78)
        #expect(outcome.output.hasPrefix("\(configuration.path)/mappings/old.yaml:3:5: found unknown key `nam`; expected one of name, omit"))
    }

    @Test func `versions of a schema are checked together, though no account names them`() throws {
        let configuration = try Configuration()
        let folder = configuration.path + "/schemas/tasks"
        let text = try String(contentsOfFile: folder + "/2.0.0.yaml", encoding: .utf8)
        try configuration.write("schemas/tasks/2.0.0.yaml", text.replacing("WHEN 'high' THEN 1", with: "WHEN 'high' THEN random()"))
        try configuration.write("schemas/other.yaml", "schema: other\nversion: 1.0.0\nentities: {}\n")
        let outcome = try sluice.run(["config", "check", configuration.path])
        #expect(
            outcome.output == "\(folder)/2.0.0.yaml:48:15: found function random(); "
                + "expected functions that every SQLite has and that give the same on every device\n")
        #expect(outcome.code == 78)
    }

    @Test func `as JSON each fault is one object on one line`() throws {
        let configuration = try Configuration()
        try configuration.write("accounts.d/sample.yaml", "servce: {}\n")
        let outcome = try sluice.run(["config", "check", "--json", configuration.path + "/accounts.d"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        let first = try #require(lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(object["file"] as? String == configuration.path + "/accounts.d/sample.yaml")
        #expect(object["line"] as? Int == 1)
        #expect(object["suggestion"] as? String == "service")
        #expect(outcome.code == 78)
    }

    @Test func `a path that does not exist is a fault`() throws {
        let outcome = try sluice.run(["config", "check", "/nonexistent/a.yaml"])
        #expect(outcome.code == 78)
        #expect(outcome.output == "/nonexistent/a.yaml:1:1: found a file that cannot be read (it does not exist); expected one that can\n")
    }

    @Test func `help says what the command takes`() throws {
        let outcome = try sluice.run(["config", "check", "--help"])
        #expect(
            outcome
                == .init(
                    code: 0,
                    output: """
                        Usage: sluice config check [PATH...] [--json]

                        Print every fault of configuration files and start nothing.

                        Arguments:
                          PATH  Account, schema or record service files, or folders of them;
                                without one, the folder that the programs use.

                        Options:
                          --json      Print each fault as one line of JSON: file, line, column, found, expected, suggestion.
                          -h, --help  Show this help.

                        Exit codes:
                          0   No fault was found.
                          78  At least one fault was found.

                        """,
                    errors: ""))
    }

    @Test func `a mistyped command is a usage error`() throws {
        let outcome = try sluice.run(["config", "chek"])
        #expect(
            outcome
                == .init(
                    code: 64, output: "",
                    errors: "sluice config: unknown command: chek. Did you mean check?\nTry 'sluice config --help'.\n"))
    }
}
