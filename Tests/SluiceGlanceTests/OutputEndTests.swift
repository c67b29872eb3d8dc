import Foundation
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// What becomes of output that nobody takes.
@Suite struct OutputEndTests {
    private let fixture: GlanceFixture
    private let list: String

    init() throws {
        let fixture = try GlanceFixture()
        let long = String(repeating: "x", count: 1_000)
        try fixture.store.write {
            for number in 0..<500 { try fixture.store.put("Item", name: .text("\(number)"), RowEdit(attributes: ["title": .string("\(number) \(long)")])) }
        }
        try fixture.writer.update(from: fixture.store)
        self.fixture = fixture
        list = "\(GlanceFixture.program) list Item --limit 0 --groups-dir \(fixture.folder.path)/groups --group shop"
    }

    @Test func `a reader that has seen enough ends the helper, silently`() throws {
        // Whoever runs the tests may ignore the signal, and a shell leaves it so.
        let outcome = try GlanceFixture.run(
            ["env", "--default-signal=PIPE", "bash", "-c", "\(list) | head -c 1; echo \" ${PIPESTATUS[0]}\""])
        #expect(outcome == .init(status: 0, output: "0 141\n", errors: ""))
    }

    @Test func `the same where the signal is ignored, as a service manager has it`() throws {
        let outcome = try GlanceFixture.run(["bash", "-c", "trap '' PIPE; \(list) | head -c 1; echo \" ${PIPESTATUS[0]}\""])
        #expect(outcome == .init(status: 0, output: "0 74\n", errors: ""))
    }

    @Test func `a full disk and a closed output are failures with a reason, and no file is written in their stead`() throws {
        let before = try fixture.listing().filter { !$0.contains("-shm") }
        let full = try GlanceFixture.run(["bash", "-c", "\(list) > /dev/full"])
        #expect(full.status == 74 && full.errors.contains("could not be written"))
        let closed = try GlanceFixture.run(["bash", "-c", "\(list) >&-"])
        #expect(closed.status == 74 && closed.errors.contains("could not be written"))
        #expect(try GlanceFixture.run(["bash", "-c", "\(list) >&- 2>&- <&-"]) == .init(status: 74, output: "", errors: ""))
        #expect(try fixture.listing().filter { !$0.contains("-shm") } == before)
    }
}
