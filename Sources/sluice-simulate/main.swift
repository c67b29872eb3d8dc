import SluiceSimulation

var bad = 0
let a = CommandLine.arguments
let from = UInt64(a[1])!, count = UInt64(a[2])!
var coverage = Coverage()
let clock = ContinuousClock()
let begin = clock.now
var slow: (Duration, UInt64) = (.zero, 0)
for seed in from..<from + count {
    let t = clock.now
    let outcome = try await Scenario.drawn(from: seed).run(isTracing: count == 1)
    let d = clock.now - t
    if d > slow.0 { slow = (d, seed) }
    coverage.add(outcome.coverage)
    if !outcome.violations.isEmpty {
        bad += 1
        print("seed \(seed) \(outcome.scenario.theme): \(outcome.violations.prefix(2).map { String($0.prefix(400)) })")
        if count == 1 { print(outcome.log.joined(separator: "\n")) }
    }
}
print("bad \(bad) of \(count) in \(clock.now - begin); slowest \(slow)")
print("missing \(coverage.missing.count) of \(Coverage.pairCount): \(coverage.missing)")
