import Foundation
import SluiceJSON
import SluiceSimulation
import Testing

@Suite struct ScenarioFileTests {
    @Test func `a scenario that is written and read is the same one`() throws {
        for seed in UInt64(1)...40 {
            let scenario = Scenario.drawn(from: seed)
            #expect(try Scenario(json: Data(scenario.json.utf8)) == scenario)
        }
        let named = Scenario(seed: 1, steps: [.init(.edit, edit: .init(.topic, record: "\"quoted\"", text: "line\nbreak"))])
        #expect(try Scenario(json: Data(named.json.utf8)) == named)
    }

    @Test(arguments: [
        (#"{"scenario": 1, "seed": 1, "steps": [{"do": "edit"}, {"do": "edti"}]}"#, "steps[1].do"),
        (#"{"scenario": 1, "seed": 1, "devcies": 2}"#, "devcies"),
        (#"{"scenario": 2, "seed": 1}"#, "scenario"),
        (#"{"scenario": 1, "seed": 1, "devices": 0}"#, "devices"),
        (#"{"scenario": 1, "seed": 1, "network": {"faults": {"crash": 3}}}"#, "crash"),
        (#"{"scenario": 1, "seed": 1, "steps": 3}"#, "steps"),
    ]) func `a mistake in a scenario file is named with its place`(text: String, place: String) {
        let error = #expect(throws: WireError.self) { try Scenario(json: Data(text.utf8)) }
        #expect(error?.path.contains(place) == true)
    }

    @Test func `a failing seed becomes a small scenario that fails alike when it is read from a file`() async throws {
        let variant = try #require(BrokenVariant.all.first { $0.name.contains("deletions in the feed") })
        let caught = try #require(try await variant.firstCaught(within: 300))
        var shrinking = Shrinking(caught, runCountMax: 120, seams: variant.seams)
        try await shrinking.run()
        let small = shrinking.smallest
        #expect(small.scenario.steps.count < caught.scenario.steps.count / 2)
        let replayed = try await Scenario(json: Data(small.scenario.json.utf8)).run(variant.seams())
        #expect(replayed.violations == small.violations)
        #expect(!replayed.violations.isEmpty)
    }
}
