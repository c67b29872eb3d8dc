import Testing

/// SQL stands where the tables are owned; everybody else asks for rows.
@Suite struct SQLPlacementTests {
    /// Modules whose business are tables.
    private static let modules: Set<String> = [
        "SluiceStore", "SluiceSQLite", "SluiceGroup", "SluiceReader", "SluiceImport", "SluiceRecordService",
    ]

    /// Of SluiceSchema, what describes how values lie in a file; of SluiceData, what opens stores and what makes statements of fetches; and the
    /// statements that benchmarks compare ours with. The simulator plays who types into a shell, and looks at tables from outside.
    private static let folders =
        ["Layout", "Filter", "Rows"].map { "Sources/SluiceSchema/\($0)/" } + ["Container", "Fetching"].map { "Sources/SluiceData/\($0)/" }
        + ["Sources/sluice-bench/", "Sources/SluiceSimulation/"]

    static func statements(in source: SourceText) -> [Int] {
        let statement =
            /\b(?:SELECT|INSERT|UPDATE|DELETE FROM|CREATE (?:TABLE|INDEX|TRIGGER)|DROP (?:TABLE|TRIGGER)|ALTER TABLE|PRAGMA)[ \n]/
        return source.literals.filter { $0.text.contains(statement) }.map(\.line)
    }

    @Test func `SQL stands only in the modules that own tables`() {
        let others = SourceTree.sources.filter { !Self.modules.contains($0.module) && !Self.folders.contains(where: $0.path.hasPrefix) }
        for source in others {
            let lines = Self.statements(in: source)
            #expect(lines.isEmpty, "\(source.path) holds SQL in lines \(lines)")
        }
    }

    @Test func `a statement in any kind of literal is caught, one in a comment is not`() {
        let text = #"""
            // SELECT nothing
            let one = "SELECT \(column) FROM t"
            let two = #"DELETE FROM "t""#
            let three = """
                INSERT INTO t VALUES (1)
                """
            let select = "Select an account"
            """#
        #expect(Self.statements(in: SourceText(path: "Sources/Planted/Planted.swift", text: text)) == [2, 3, 4])
    }
}
