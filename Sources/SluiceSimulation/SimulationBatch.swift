/// Many seeds, one after the other in each of a few workers.
package struct SimulationBatch: Sendable {
    package let seeds: [UInt64]
    package let workers: Int

    /// - Parameter workers: runs at the same time; they have nothing to do with each other.
    package init(seeds: [UInt64], workers: Int) {
        self.seeds = seeds
        self.workers = max(1, workers)
    }

    package struct Result: Sendable {
        /// In the order of the seeds.
        package internal(set) var failures: [RunOutcome] = []
        package internal(set) var coverage = Coverage()
        package internal(set) var runCount = 0
        package internal(set) var requestCount = 0
        package internal(set) var virtualMilliseconds: Int64 = 0
        /// The run of the last seed.
        package internal(set) var last: RunOutcome?

        /// That of no run.
        package init() {}

        /// Takes another batch in, behind this one.
        package mutating func add(_ other: Result) {
            runCount += other.runCount
            requestCount += other.requestCount
            virtualMilliseconds += other.virtualMilliseconds
            coverage.add(other.coverage)
            failures += other.failures
            last = other.last ?? last
        }

        mutating func add(_ outcome: RunOutcome) {
            runCount += 1
            requestCount += outcome.requestCount
            virtualMilliseconds += outcome.virtualMilliseconds
            coverage.add(outcome.coverage)
            if !outcome.violations.isEmpty { failures.append(outcome) }
            if (last?.scenario.seed ?? 0) <= outcome.scenario.seed { last = outcome }
        }
    }

    /// Runs all of them.
    /// - Parameter progress: called after each run with how many are done, in one task at a time.
    package func run(progress: (Int) -> Void = { _ in }) async throws -> Result {
        var result = Result()
        try await withThrowingTaskGroup(of: RunOutcome.self) { group in
            var waiting = seeds.makeIterator()
            for _ in 0..<workers {
                guard let seed = waiting.next() else { break }
                group.addTask { try await Scenario.drawn(from: seed).run() }
            }
            while let outcome = try await group.next() {
                result.add(outcome)
                progress(result.runCount)
                if let seed = waiting.next() { group.addTask { try await Scenario.drawn(from: seed).run() } }
            }
        }
        result.failures.sort { $0.scenario.seed < $1.scenario.seed }
        return result
    }
}
