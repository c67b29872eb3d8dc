import SluiceSimulation
import Testing

/// What went wrong for others, as scenarios: each runs through all that a drawn one runs through, and everything that must hold is checked.
@Suite struct FieldReportTests {
    private typealias Step = Scenario.Step

    private func write(_ record: String, _ text: String, _ device: Int = 0, after: Int64 = 100) -> Scenario.Step {
        Scenario.Step(.edit, device: device, after: after, edit: .init(record: record, text: text))
    }

    private func delete(_ record: String, _ device: Int = 0, after: Int64 = 100) -> Scenario.Step {
        Scenario.Step(.delete, device: device, after: after, edit: .init(record: record, text: ""))
    }

    /// Long enough for everything to be sent and pulled.
    private let quiet: Int64 = 400_000

    /// Runs the steps and returns the texts of the notes at the end.
    private func play(
        _ steps: [Scenario.Step], theme: Scenario.Theme = .roughNetwork, devices: Int = 2, operations: Int = 200, aim: Aim? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: String] {
        var scenario = Scenario(seed: 7, theme: theme, deviceCount: devices, operations: operations, steps: steps)
        scenario.aim = aim
        let simulation = try Simulation(scenario)
        try await simulation.run()
        #expect(simulation.violations.isEmpty, sourceLocation: sourceLocation)
        return simulation.finalRows.filter { $0.value.entity == "Note" }.mapValues { $0.fields["text"] ?? "" }
    }

    @Test func `25 records that are refused for the moment are sent again, those refused for good when a person says so`() async throws {
        let texts = try await play([
            write("a", "1"), Step(.refuse, amount: 1, edit: .init(record: "b", text: "")), Step(.refuse, edit: .init(record: "c", text: "")),
            write("b", "2"), write("c", "3"), write("d", "4"),
        ])
        #expect(texts == ["a": "'1'", "b": "'2'", "c": "'3'", "d": "'4'"])
    }

    @Test func `28 a token that expired while a device was away leads to one fetch from the beginning that keeps what was not sent`() async throws {
        let texts = try await play([
            write("old", "1"), write("gone", "1"), Step(.partition, device: 1, after: quiet, amount: 91 * 86_400_000),
            write("unsent", "2", 1, after: 1_000), delete("gone", 0), write("new", "3"), Step(.passDays, after: quiet, amount: 91), Step(.poll, device: 1, after: 1_000),
        ], theme: .forgetfulService)
        #expect(texts == ["old": "'1'", "unsent": "'2'", "new": "'3'"])
    }

    /// Five synced records and an unsent one; then the zone goes, and something new is written.
    private func zoneGoes(_ kind: Int64, remade: Bool = false) async throws -> [String: String] {
        var steps = (1...5).map { write("synced \($0)", "1") }
        steps += [Step(.partition, device: 1, after: quiet, amount: 60_000), write("unsent", "2", 1), Step(.deleteZone, amount: kind)]
        if remade { steps.append(Step(.remakeZone)) }
        return try await play(steps + [write("later", "3", 0, after: quiet)], theme: .deletedZone)
    }

    @Test(arguments: [false, true]) func `29 the rows of a deleted zone go, what was not sent is kept and sent once a person says so`(remade: Bool) async throws {
        #expect(try await zoneGoes(0, remade: remade) == ["unsent": "'2'", "later": "'3'"])
    }

    @Test(arguments: [false, true]) func `29 the rows of a purged zone go, what was not sent is set aside, and what is new is sent`(remade: Bool) async throws {
        // At the end of a run a person lets go what was set aside.
        #expect(try await zoneGoes(1, remade: remade) == ["unsent": "'2'", "later": "'3'"])
    }

    @Test(arguments: [false, true]) func `29 after a reset of encrypted data the devices send everything again`(remade: Bool) async throws {
        let texts = try await zoneGoes(2, remade: remade)
        #expect(texts.keys.sorted() == ["later"] + (1...5).map { "synced \($0)" } + ["unsent"])
    }

    @Test func `31 neither a clock of the future nor one of the past decides over who has seen what`() async throws {
        let decade: Int64 = 10 * 365 * 86_400_000
        let texts = try await play([
            Step(.moveClock, device: 0, amount: decade), write("title", "A", 0), write("title", "B", 1, after: quiet),
            Step(.moveClock, device: 2, amount: -5 * decade), write("title", "C", 2, after: quiet),
        ], theme: .wrongClocks, devices: 3)
        #expect(texts == ["title": "'C'"])
    }

    @Test func `32 what was deleted before the service lost its memory does not come back from a device that was away`() async throws {
        let texts = try await play([
            write("kept", "1"), write("gone", "1"), Step(.copyService, after: quiet), Step(.partition, device: 1, amount: 1_000_000), delete("gone", 0),
            Step(.restoreService, after: quiet, amount: 1), Step(.poll, device: 0, after: 1_000), Step(.poll, device: 1, after: 2_000_000),
        ], theme: .restoredService)
        #expect(texts == ["kept": "'1'"])
    }

    @Test(arguments: [0, 1] as [Int64]) func `35 a token of somebody else sends nothing across, and what was not sent waits for the first one's return`(
        isRunning: Int64
    ) async throws {
        let texts = try await play([
            write("a", "1"), Step(.switchAccount, after: quiet, amount: isRunning), write("unsent", "2", 0), Step(.switchBack, after: quiet, amount: isRunning),
        ], theme: .accounts)
        #expect(texts == ["a": "'1'", "unsent": "'2'"])
    }

    @Test(arguments: [Fault.crash, .answerLost, .resetAfterEffect, .answerTruncated]) func `24 a write whose answer is lost has its effect once`(
        fault: Fault
    ) async throws {
        let texts = try await play([write("a", "1"), write("b", "2", 1), Step(.poll, after: 60_000)], aim: Aim(fault, in: .send))
        #expect(texts == ["a": "'1'", "b": "'2'"])
    }

    @Test func `R4 two devices that made the same records before they first met end with one of each`() async throws {
        var steps: [Scenario.Step] = []
        for device in 0..<2 {
            for number in 0..<20 { steps.append(Step(.edit, device: device, after: 5, edit: .init(.topic, record: "breed \(number)", text: "from \(device)"))) }
            steps.append(Step(.edit, device: device, after: 5, edit: .init(.tag, record: "tag \(device)", text: "same")))
        }
        let simulation = try Simulation(Scenario(seed: 7, steps: steps))
        try await simulation.run()
        #expect(simulation.violations.isEmpty)
        #expect(simulation.finalRows.values.count { $0.entity == "Topic" } == 20)
        // The smaller name survives.
        let tags = simulation.finalRows.filter { $0.value.entity == "Tag" }
        #expect(tags.map { $0.key } == ["tag 0"])
    }

    @Test func `R5 no page leaves out what was written while it was read`() async throws {
        let writes = (0..<60).map { write("note \($0)", "\($0)", $0 % 2, after: $0 % 7 == 0 ? 40 : 0) }
        #expect(try await play(writes, devices: 3, operations: 7).count == 60)
    }

    @Test func `R6 a record that is deleted and made anew before it is sent is the new one everywhere`() async throws {
        #expect(try await play([write("a", "1"), delete("a", after: quiet), write("a", "2", after: 1)]) == ["a": "'2'"])
    }

    @Test func `R7 a record in conflict takes nothing in its batch along`() async throws {
        let texts = try await play([
            write("parent", "1"), Step(.partition, device: 1, after: quiet, amount: 30_000), write("parent", "2", 0), write("parent", "3", 1, after: 10_000),
            write("child", "4", 1, after: 1),
        ])
        #expect(texts == ["parent": "'3'", "child": "'4'"])
    }

    @Test func `R8 a change that could not be sent is sent later without any further one`() async throws {
        #expect(try await play([Step(.partition, amount: 30_000), write("a", "1"), Step(.poll, device: 1, after: 600_000)]) == ["a": "'1'"])
    }
}
