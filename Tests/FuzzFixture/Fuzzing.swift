import Foundation

/// How long and from which seed bytes are drawn. Twenty seconds in all unless `SLUICE_FUZZ_SECONDS` says otherwise, shared out among the ways in;
/// `SLUICE_SEED` draws others. Each run prints its seed, each failure has it and the bytes.
package enum Fuzzing {
    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
    private static let seconds = variable("SLUICE_FUZZ_SECONDS").flatMap(Double.init) ?? 20
    /// What everything is drawn from.
    package static let seed = variable("SLUICE_SEED").flatMap { UInt64($0) } ?? 1
    /// However slow a machine is: with fewer a run says nothing.
    private static let countMin = 100

    /// Calls `body` again and again with one mutator until its part of the time is over.
    /// - Parameter share: of all the time; the shares of all ways in are 1 together.
    /// - Returns: how often that was.
    @discardableResult
    package static func run(_ surface: String, share: Double, _ body: (inout Mutator) async throws -> Void) async throws -> Int {
        print("fuzzing of \(surface): SLUICE_SEED=\(seed)")
        var mutator = Mutator(seed: seed)
        let end = ContinuousClock.now + .seconds(seconds * share)
        var count = 0
        while ContinuousClock.now < end || count < countMin {
            try await body(&mutator)
            count += 1
            // Most bodies never wait, and other tests' servers need the same few threads.
            await Task.yield()
        }
        print("fuzzing of \(surface): \(count) inputs")
        return count
    }

    /// What a failure says of the bytes that made it.
    package static func text(_ bytes: [UInt8]) -> String { "seed \(seed): " + String(decoding: bytes.prefix(2_000), as: UTF8.self) }
}
