import Testing

/// N1, article 004: what SwiftData does not have, we do not have either.
@Suite struct PrimaryKeyTests {
    private func source(_ option: String) -> String {
        """
        import SwiftData

        @Model
        final class Note {
            @Attribute(.\(option)) var id: UUID
            init(id: UUID = UUID()) { self.id = id }
        }
        """
    }

    @Test(arguments: ["primaryKey", "index"])
    func `N1: there is no such option, and the compiler says so`(option: String) throws {
        let verdict = try Compiler.check(source(option))
        #expect(!verdict.compiles)
        #expect(verdict.diagnostics.contains("'\(option)'"), "\(verdict.diagnostics)")
    }

    @Test func `the same source with an option that exists compiles`() throws {
        let verdict = try Compiler.check(source("unique"))
        #expect(verdict.compiles, "\(verdict.diagnostics)")
    }
}
