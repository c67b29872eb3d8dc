import Foundation
import SluiceSimulation
import Testing

/// A service that is put back to a plain copy of its files says nothing of it, and goes on under its epoch.
@Suite struct SilentRestoreTests {
    private typealias Step = Scenario.Step

    @Test func `I-1 a service that is put back without a word, between an answer and the next pull, is given what it had acknowledged`() async throws {
        #expect(try await Scenario(json: Data(Self.silentRestore.utf8)).run().violations.isEmpty)
    }

    /// The service loses what it acknowledged a moment ago.
    /// - Parameters:
    ///   - delay: milliseconds after the edits. A request takes up to three seconds, so one of some delays lies between an answer and the next pull.
    ///   - others: what happens before the device that wrote asks again.
    private func play(_ delay: Int64, _ others: [Scenario.Step]) async throws -> [String: String] {
        func write(_ text: String, _ device: Int, _ record: String = "a", after: Int64) -> Scenario.Step {
            Step(.edit, device: device, after: after, edit: .init(record: record, text: text))
        }
        var scenario = Scenario(
            seed: 7, theme: .restoredService, deviceCount: 2, operations: 200,
            steps: [
                write("1", 0, after: 100), Step(.copyService, after: 400_000), write("2", 0, after: 1_000), write("3", 0, "b", after: 1),
                Step(.restoreService, after: delay, amount: 0),
            ] + others + [Step(.poll, device: 0, after: 900_000), write("end", 1, "c", after: 900_000)])
        scenario.network.delay = 3_000
        let simulation = try Simulation(scenario)
        try await simulation.run()
        #expect(simulation.violations.isEmpty, "put back after \(delay) ms")
        return simulation.finalRows.filter { $0.value.entity == "Note" }.mapValues { $0.fields["text"] ?? "" }
    }

    private static let delays: [Int64] = stride(from: 1_500, through: 9_000, by: 750).map { $0 }

    @Test func `the write is there again, also where the process ended meanwhile`() async throws {
        for delay in Self.delays {
            for others in [[], [Step(.crash, after: 10, amount: 500)], [Step(.losePower, after: 10, amount: 500)]] {
                #expect(try await play(delay, others) == ["a": "'2'", "b": "'3'", "c": "'end'"], "put back after \(delay) ms")
            }
        }
    }

    @Test func `it is there where another device has written on, so that the same places in the feed are taken`() async throws {
        let others = (0..<6).map { Step(.edit, device: 1, after: 50, edit: .init(record: "other \($0)", text: "x")) }
        for delay in Self.delays {
            let texts = try await play(delay, others)
            #expect(texts["a"] == "'2'" && texts["b"] == "'3'" && texts.count == 9, "put back after \(delay) ms")
        }
    }

    private static let silentRestore = """
            {"scenario": 1, "seed": 73, "theme": "restoredService", "devices": 3, "storage": "memory", "operations": 3, "rate": 500,
             "network": {"delay": 3000, "faults": {"answerLost": 2}},
             "steps": [
              {"do": "edit", "after": 8962, "draw": 1609497234},
              {"do": "edit", "device": 1, "after": 1783, "draw": 3715504795},
              {"do": "crash", "device": 1, "after": 876, "draw": 3317120494, "amount": 973},
              {"do": "edit", "after": 151, "draw": 4108509260},
              {"do": "throttle", "after": 2240, "draw": 1268907709, "amount": 16392},
              {"do": "edit", "after": 230, "draw": 3866334757},
              {"do": "poll", "device": 2, "after": 481989, "draw": 3022552549},
              {"do": "edit", "device": 1, "after": 1636, "draw": 1546299610},
              {"do": "fillQuota", "device": 2, "after": 1028, "draw": 3430486264, "amount": 1},
              {"do": "edit", "after": 11659, "draw": 1429965118},
              {"do": "copyService", "device": 1, "after": 20, "draw": 3765568565},
              {"do": "restoreService", "device": 2, "after": 12487, "draw": 2923629855}]}
            """
}
