import Foundation
import Glibc
import SluiceReader
import SluiceSchema
import Testing

@testable import SluiceGroup

/// `sluice-glance watch`: an answer for every generation, and an end when nobody listens.
@Suite(.timeLimit(.minutes(10))) struct WatchTests {
    /// A running helper, whose lines are read one by one.
    private final class Watcher {
        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()
        private var pending = Data()

        init(_ fixture: GlanceFixture, _ arguments: [String]) throws {
            process.executableURL = URL(fileURLWithPath: GlanceFixture.program)
            process.arguments = ["watch"] + arguments + ["--groups-dir", fixture.folder.appending(path: "groups").path, "--group", "shop"]
            process.standardOutput = output
            process.standardError = errors
            try process.run()
        }

        func line() throws -> String {
            while true {
                if let end = pending.firstIndex(of: 0x0A) {
                    defer { pending = Data(pending[(end + 1)...]) }
                    return String(decoding: pending[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw CancellationError() }
                pending += more
            }
        }

        func end() -> Int32 {
            process.waitUntilExit()
            return process.terminationStatus
        }

        func terminate() { process.terminate() }
    }

    @Test func `every new generation is printed, through a new file and a migration, until nobody reads`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store)
        let watcher = try Watcher(fixture, ["Item", "--count"])
        #expect(try watcher.line() == "1")
        try fixture.put("bread")
        try fixture.writer.update(from: fixture.store)
        #expect(try watcher.line() == "2")
        try fixture.put("cheese")
        try fixture.writer.rebuild(from: fixture.store)
        #expect(try watcher.line() == "3")
        try fixture.writer.directory.announce(.migrating(MigrationProgress(stage: 1, of: 2, named: "V1toV2")))
        #expect(try watcher.line() == "3")
        watcher.terminate()
        _ = watcher.end()
    }

    @Test func `it waits for a container that is not there, and says what there is of it`() throws {
        let fixture = try GlanceFixture()
        let watcher = try Watcher(fixture, ["--format", "template", "--template", "{{state}} {{generation}}", "--generations", "2"])
        #expect(try watcher.line() == "noStore ")
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store)
        #expect(try watcher.line() == "current 1")
        #expect(watcher.end() == 0)
    }

    @Test func `a bar gets an item for a container without a store, too`() throws {
        let fixture = try GlanceFixture()
        let watcher = try Watcher(fixture, ["Item", "--count", "--format", "polybar", "--generations", "1"])
        #expect(try watcher.line() == "noStore")
        #expect(watcher.end() == 66)
    }

    @Test func `it ends when its reader has gone, though there is nothing to print`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store)
        let command = "\(GlanceFixture.program) watch Item --count --groups-dir \(fixture.folder.path)/groups --group shop"
        #expect(try GlanceFixture.run(["timeout", "60", "bash", "-c", "set -o pipefail; \(command) | head -n 1"]) == .init(status: 0, output: "1\n", errors: ""))
    }

    @Test func `what it ends with is what the last answer alone would end with`() throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        try fixture.writer.update(from: fixture.store, lastSync: Date(timeIntervalSince1970: 1_771_416_482))
        for arguments in [["Item", "--count"], ["Item", "--fields", "title"], [], ["Item", "--format", "waybar"]] {
            let all = ["watch"] + arguments + ["--generations", "1"]
            #expect(try fixture.glance(all).status == 0, "\(arguments)")
            #expect(try fixture.glance(all + ["--stale-after", "1h"]).status == 75, "\(arguments)")
            #expect(try fixture.glance(all + ["--requires", "2.0.0"]).status == 78, "\(arguments)")
        }
        let stale = try fixture.glance("watch", "Item", "--count", "--generations", "1", "--stale-after", "1h")
        #expect(stale.output == "1\n" && stale.errors.contains("stale: "))
    }

    @Test(arguments: [
        ["--where", "title == 'x'"], ["--count"], ["Item", "--generations", "0"], ["Item", "--where", "title =="],
        ["Item", "--order", "title up"], ["Item", "--limit", "-1"], ["--template", "{{count}}"], ["Item", "--count", "--template", "{{title}}"],
        ["Item", "--count", "--where", "title =="],
    ])
    func `a contradiction is refused at once`(arguments: [String]) throws {
        #expect(try GlanceFixture.run([GlanceFixture.program, "watch", "--group", "shop"] + arguments).status == 64)
    }
}
