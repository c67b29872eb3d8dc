import Foundation
import Testing

/// The whole way in one command, with the programs that were built for the tests.
@Suite(.serialized, .timeLimit(.minutes(10))) struct QuickstartTests {
    @Test func `quickstart ends with what a helper of another user prints, and a second run imports nothing again`() async throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL.path
        let programs = URL(filePath: try Program.path("sluice")).deletingLastPathComponent().path
        let folder = "/var/tmp/sluice-e2e-quickstart-\(UUID().uuidString)"
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("\(folder): \(error)") } }
        var digests: [[Substring]] = []
        for isFirst in [true, false] {
            let outcome = try Program.run(
                "/usr/bin/env", ["bash", root + "/Deploy/quickstart.sh", "--once", "--dir", folder], environment: ["SLUICE_PROGRAMS": programs])
            try #require(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.contains("state: current"))
            for name in ["Milk", "Crème fraîche", "Screws 4 × 40"] { #expect(lines.count { $0.contains(name) } == 1) }
            digests.append(lines.filter { $0.contains(/^(phone|laptop) +[0-9a-f]{64}$/) })
            let log = try String(contentsOfFile: folder + "/log/sluiced.log", encoding: .utf8)
            #expect(log.contains("imported, 8 rows") == isFirst)
        }
        #expect(digests[0].count == 2 && digests[0] == digests[1])
    }
}
