// From a scenario that fails to a small one that fails alike: steps go, first many at a time, then one by one; then faults of the network,
// devices, and whatever else is not as simple as it can be. What goes changes nothing but what follows from it (Scenario.swift).

/// A scenario that fails, on its way to a small one.
package struct Shrinking: Sendable {
    private let seams: @Sendable () -> Seams
    /// What the failure has to begin with to be the same one.
    private let kind: String
    private let runCountMax: Int
    package private(set) var runCount = 0
    package private(set) var smallest: RunOutcome

    /// - Parameters:
    ///   - outcome: of a run that failed.
    ///   - seams: what it was run with.
    package init(_ outcome: RunOutcome, runCountMax: Int = 250, seams: @escaping @Sendable () -> Seams = { Seams() }) {
        smallest = outcome
        self.seams = seams
        self.runCountMax = runCountMax
        kind = Self.kind(of: outcome)
    }

    /// The invariant that is named, else the beginning of the first sentence.
    private static func kind(of outcome: RunOutcome) -> String {
        let words = (outcome.violations.first ?? "").split(separator: " ").prefix(3)
        return words.first.map { $0.hasPrefix("I-") ? String($0) : words.joined(separator: " ") } ?? ""
    }

    /// Tries until nothing more can go, or the runs are used up.
    package mutating func run() async throws {
        try await dropSteps()
        for fault in Scenario.Network.kinds where smallest.scenario.network.faults[fault] != nil { try await attempt { $0.network.faults[fault] = nil } }
        while smallest.scenario.deviceCount > 1, try await attempt({ $0.deviceCount -= 1 }) {}
        try await attempt { $0.aim = nil }
        try await attempt { $0.storage = .memory }
        try await attempt { $0.rate = 500 }
        try await attempt { $0.operations = 200 }
        try await attempt { $0.network.delay = 5 }
        try await dropSteps()
    }

    private mutating func dropSteps() async throws {
        var size = max(1, smallest.scenario.steps.count / 2)
        while true {
            var start = 0
            while start < smallest.scenario.steps.count {
                let range = start..<min(start + size, smallest.scenario.steps.count)
                let isGone = try await attempt { scenario in
                    // What comes after happens when it did.
                    let time = scenario.steps[range].reduce(0) { $0 + $1.after }
                    if scenario.steps.indices.contains(range.upperBound) { scenario.steps[range.upperBound].after += time }
                    scenario.steps.removeSubrange(range)
                }
                if !isGone { start += size }
            }
            if size == 1 { return }
            size /= 2
        }
    }

    @discardableResult
    private mutating func attempt(_ change: (inout Scenario) -> Void) async throws -> Bool {
        var scenario = smallest.scenario
        change(&scenario)
        guard runCount < runCountMax, scenario != smallest.scenario else { return false }
        runCount += 1
        let outcome = try await scenario.run(seams())
        guard Self.kind(of: outcome) == kind else { return false }
        smallest = outcome
        return true
    }
}
