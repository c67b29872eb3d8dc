import Foundation
import SluiceSQLite
import SluiceSchema
import SluiceStore
import Testing

@testable import SluiceGroup

/// Design section 9: a projection that is kept up to date equals full recomputation at any moment, whatever the schema, the rules and the
/// edits. One seed is one run; `SLUICE_SEED` replays it alone, `SLUICE_RUNS` takes more of them.
@Suite struct RandomProjectionTests {
    private static var seeds: [UInt64] {
        let variables = ProcessInfo.processInfo.environment
        if let seed = variables["SLUICE_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(variables["SLUICE_RUNS"].flatMap(UInt64.init) ?? 40))
    }

    @Test(arguments: seeds)
    func `keeping up gives what filling anew gives`(seed: UInt64) throws {
        var rules = RandomRules(seed: seed)
        let projections = rules.projections()
        let fixture = try GroupFixture(rules.entities)
        var rows = RandomRows(seed: seed &+ 1_000_000, schema: fixture.store.layout.schema)
        try fixture.store.write { for _ in 0..<15 { try rows.edit(fixture.store) } }
        let writer = try fixture.writer(projections)
        let first = try writer.update(from: fixture.store)
        for step in 0..<12 {
            try fixture.store.write(step % 3 == 0 ? .pull : .local) {
                for _ in 0..<Int.random(in: 1...6, using: &rows.random) { try rows.edit(fixture.store) }
            }
            let generation = try writer.update(from: fixture.store)
            let fresh = try fixture.writer(projections, in: "fresh").rebuild(from: fixture.store)
            // A new file would be right, but would prove nothing about keeping up.
            try #require(generation.rebuild == nil && generation.file == first.file, "seed \(seed), step \(step)")
            let kept = try fixture.contents(of: generation)
            let expected = try fixture.contents(of: fresh, in: "fresh")
            try #require(kept == expected, "seed \(seed), step \(step), rules \(projections.map(\.description))")
            #expect(try fixture.foreignKeyFaults(of: generation) == 0)
        }
    }

    @Test(arguments: seeds)
    func `a rule as text reads back to the same rule`(seed: UInt64) throws {
        var rules = RandomRules(seed: seed)
        for projection in rules.projections() {
            if let filter = projection.filter { #expect(try RowFilter(parsing: "\(filter)") == filter, "seed \(seed): \(filter)") }
            for field in projection.derived {
                #expect(try FilterExpression(parsing: "\(field.expression)") == field.expression, "seed \(seed): \(field.expression)")
            }
        }
    }
}
