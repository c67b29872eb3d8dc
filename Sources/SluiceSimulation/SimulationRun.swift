// One seed or scenario from beginning to end, as programs and tests ask for it.

/// What became of a run.
package struct RunOutcome: Sendable {
    package let scenario: Scenario
    /// What is wrong; empty where all is well.
    package let violations: [String]
    package let log: [String]
    package let coverage: Coverage
    package let requestCount: Int
    /// Milliseconds of virtual time.
    package let virtualMilliseconds: Int64
}

extension Scenario {
    /// Runs this scenario.
    /// - Parameters:
    ///   - seams: what is broken on purpose.
    ///   - isTracing: whether the log tells of requests and answers.
    /// - Throws: where no files can be made for it.
    package func run(_ seams: Seams = Seams(), isTracing: Bool = false) async throws -> RunOutcome {
        let simulation = try Simulation(self, seams: seams, isTracing: isTracing)
        try await simulation.run()
        return RunOutcome(
            scenario: self, violations: simulation.violations, log: simulation.log, coverage: simulation.coverage,
            requestCount: simulation.requestCount, virtualMilliseconds: simulation.clock.now - Simulation.beginning)
    }
}
