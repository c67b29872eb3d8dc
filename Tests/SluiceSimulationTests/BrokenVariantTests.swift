import SluiceSimulation
import Testing

/// Code that is broken on purpose: a simulator that does not notice is none.
@Suite struct BrokenVariantTests {
    private static let seedCount: UInt64 = 300

    @Test func `there are at least 25 broken variants, each with a name of its own`() {
        #expect(BrokenVariant.all.count >= 25)
        #expect(Set(BrokenVariant.all.map(\.name)).count == BrokenVariant.all.count)
    }

    @Test(arguments: BrokenVariant.all.map(\.name)) func `each is caught within 300 seeds`(name: String) async throws {
        let variant = try #require(BrokenVariant.all.first { $0.name == name })
        #expect(try await variant.firstCaught(within: Self.seedCount) != nil)
    }
}
