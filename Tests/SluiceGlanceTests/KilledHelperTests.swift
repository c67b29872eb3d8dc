import Foundation
import Glibc
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Field report 07, (b) and (c): helpers that are killed, and a store that is older than its helper.
@Suite(.timeLimit(.minutes(10))) struct KilledHelperTests {
    @Test func `07: the next write succeeds in the same file after each of 200 helpers that are killed while they read`() throws {
        // The log is emptied at each write: what a killed reader left behind would be in the way.
        var options = LocalStoreWriter.Options()
        options.logByteCountMax = 0
        let fixture = try GlanceFixture(options: options)
        try fixture.store.write {
            for number in 0..<2_000 {
                try fixture.store.put("Item", name: .text("\(number)"), RowEdit(attributes: ["title": .string("item \(number)")]))
            }
        }
        let first = try fixture.writer.update(from: fixture.store)
        let start = ContinuousClock.now
        #expect(try fixture.glance("list", "Item", "--limit", "0", "--order", "title desc").lines.count == 2_000)
        // From its start to its end, whatever a run takes on this machine.
        let run = Int((ContinuousClock.now - start) / .microseconds(1))
        var killed = 0
        for number in 0..<200 {
            let moment = UInt32(Int.random(in: 0...run))
            let signal = try Self.run(fixture, kill: moment)
            killed += signal == SIGKILL ? 1 : 0
            try fixture.put("more \(number)")
            let generation = try fixture.writer.update(from: fixture.store)
            #expect(generation.rebuild == nil && generation.file == first.file, "killed after \(moment) µs")
        }
        #expect(killed > 0)
        #expect(try fixture.writer.retiredStores.isEmpty && fixture.glance("count", "Item").output == "2200\n")
        #expect(fixture.writer.blockedCheckpoint == nil)
    }

    /// Starts a helper and kills it.
    /// - Returns: the signal it ended by; 0 where it had ended by itself.
    private static func run(_ fixture: GlanceFixture, kill moment: UInt32) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: GlanceFixture.program)
        process.arguments = [
            "list", "Item", "--limit", "0", "--order", "title desc", "--groups-dir", fixture.folder.appending(path: "groups").path,
            "--group", "shop",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        usleep(moment)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    }

    @Test(arguments: HelperStateTests.users)
    func `07: a helper for version 2 at a store of version 1 says that it must migrate, and the store stays`(user: GlanceFixture.User) throws {
        let fixture = try GlanceFixture()
        try fixture.put("milk")
        let file = try fixture.writer.update(from: fixture.store).file
        try fixture.writer.close()
        let path = fixture.group.appending(path: file.name)
        let before = try Data(contentsOf: path)
        for command in ["count", "list"] {
            let outcome = try fixture.glance(command, "Item", "--requires", "2.0.0", as: user)
            #expect(outcome.status == 78 && outcome.output == "" && outcome.errors.contains("schema version 1.0.0"))
        }
        #expect(try Data(contentsOf: path) == before)
        #expect(try fixture.glance("status", as: user).output.contains("schema version: 1.0.0\n"))
    }
}
