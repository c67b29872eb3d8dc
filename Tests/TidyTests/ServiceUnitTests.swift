import Foundation
import Testing

/// The units in `Deploy/`: systemd understands every line, and every option says why it is there.
@Suite struct ServiceUnitTests {
    private static let units = ["sluiced.service", "sluiced@.service", "sluice-records.service"]
    private static let analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first(where: FileManager.default.isExecutableFile)

    private func unit(_ name: String) throws -> String { try SourceTree.text("Deploy/\(name)") }

    /// `Key=value` lines of a section, by key.
    private func options(of name: String) throws -> [String: [String]] {
        let pairs = try unit(name).matches(of: /(?m)^(\w+)=(.*)$/).map { (String($0.1), String($0.2)) }
        return Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
    }

    @Test(.enabled(if: analyzer != nil, "systemd is not installed"), arguments: units)
    func `systemd has nothing to say about a unit`(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The programs need not be installed to check the rest.
        let text = try unit(name).replacing(/\/usr\/local\/bin\/[a-z-]+/, with: "/bin/true")
        let file = folder.appending(path: name.replacing("@", with: "@sample"))
        try text.write(to: file, atomically: true, encoding: .utf8)
        #expect(try verify(file.path) == "")
        // It exits with 0 whatever it finds, so silence is what counts; that it can speak is part of the proof.
        try (text + "\n[Service]\nUmaks=0077\n").write(to: file, atomically: true, encoding: .utf8)
        #expect(try verify(file.path).contains("Umaks"))
    }

    private func verify(_ path: String) throws -> String {
        let process = Process()
        process.executableURL = Self.analyzer.map { URL(filePath: $0) }
        process.arguments = ["verify", "--man=no", path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: units) func `every group of options begins with its reason`(name: String) throws {
        var previous = ""
        var isService = false
        for line in try unit(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("[") { isService = line == "[Service]" }
            let isOption = line.contains(/^\w+=/)
            if isService, isOption {
                #expect(previous.hasPrefix("# ") || previous.contains(/^\w+=/), "\(name): \(line) has no reason above it")
            }
            previous = line
        }
    }

    @Test(arguments: units) func `a unit reports readiness, has time to stop and runs as a user of its own`(name: String) throws {
        let options = try options(of: name)
        #expect(options["Type"] == ["notify"])
        let seconds = try #require(options["TimeoutStopSec"]?.first.flatMap(Int.init))
        #expect(seconds > 5)
        #expect(options["NoNewPrivileges"] == ["yes"])
        #expect(options["User"]?.first.map { $0 != "root" } == true)
    }

    @Test(arguments: ["sluiced.service", "sluiced@.service"]) func `group containers stay what helpers can read`(name: String) throws {
        let options = try options(of: name)
        #expect(options["StateDirectory"] == ["sluice sluice-groups"])
        #expect(options["StateDirectoryMode"] == ["0755"])
        // Each of these would take the setgid bit, the readers' group or the stable owner from them.
        for key in ["RestrictSUIDSGID", "PrivateUsers", "DynamicUser"] { #expect(options[key] == nil, "\(key)") }
        // This one would hide who holds up a log.
        #expect(options["ProcSubset"] == nil)
    }
}
