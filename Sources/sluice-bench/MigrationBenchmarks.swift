import CBenchmarks
import Foundation
import SluiceData

/// The migration row of design §13: stores of the first version, brought to another in each round.
final class MigrationBenchmarks {
    private let folder: URL
    private let rows: Int
    private var round = 0
    private var isFilled = false

    init(folder: URL, rows: Int) {
        self.folder = folder
        self.rows = rows
    }

    var all: [Benchmark] { [addition, stage, capturedStage] }

    private var original: URL { folder.appending(path: "original.store") }
    private var ours: URL { folder.appending(path: "ours-\(round).store") }
    private var theirs: URL { folder.appending(path: "hand-\(round).store") }

    /// Two copies of a store of the first version.
    private func prepare() throws {
        if !isFilled {
            let container = try ModelContainer(for: CatalogV1.Product.self, configurations: ModelConfiguration(url: original))
            for start in stride(from: 0, to: rows, by: 10_000) {
                let context = ModelContext(container)
                for number in start..<min(rows, start + 10_000) { context.insert(CatalogV1.Product(number: number)) }
                try context.save()
            }
            isFilled = true
        }
        for old in [ours, theirs] where round > 0 { try FileManager.default.removeItem(at: old) }
        round += 1
        for copy in [ours, theirs] { try FileManager.default.copyItem(at: original, to: copy) }
    }

    private func byHand(_ statements: String...) throws {
        for statement in statements {
            var result: Int64 = 0
            let code = sluice_bench_statement(theirs.path, statement, &result)
            try WrongResult.check(code == 0, "\(statement) ended with SQLite code \(code)")
        }
    }

    private var addition: Benchmark {
        Benchmark(
            name: "add a property with a default to \(rows) rows", goal: .ratio(2), prepare: prepare,
            ours: {
                let container = try ModelContainer(
                    for: CatalogV2.Product.self, migrationPlan: AdditionPlan.self, configurations: ModelConfiguration(url: self.ours))
                let isWhole = try ModelContext(container).fetch(FetchDescriptor<CatalogV2.Product>.one).allSatisfy { $0.stock == 3 && $0.label.isEmpty }
                try WrongResult.check(isWhole, "a row has another value than the default")
            }, byHand: { try self.byHand("ALTER TABLE Product ADD COLUMN stock INTEGER DEFAULT 3", "ALTER TABLE Product ADD COLUMN label TEXT DEFAULT ''") })
    }

    private var stage: Benchmark {
        Benchmark(
            name: "a stage that fills a property of \(rows) rows", goal: .ratio(2), prepare: prepare, ours: runStage,
            byHand: {
                try self.byHand(
                    "ALTER TABLE Product ADD COLUMN stock INTEGER DEFAULT 3", "ALTER TABLE Product ADD COLUMN label TEXT DEFAULT ''",
                    "UPDATE Product SET stock = number", "SELECT count(*) FROM Product WHERE stock = number")
            })
    }

    /// The same beside SQL that leaves the same log: the store by hand has the column, and triggers that watch it.
    private var capturedStage: Benchmark {
        Benchmark(
            name: "the same, by hand with changes captured", goal: .ratio(2),
            prepare: {
                try self.prepare()
                _ = try ModelContainer(
                    for: CatalogV2.Product.self, migrationPlan: AdditionPlan.self, configurations: ModelConfiguration(url: self.theirs))
            }, ours: runStage,
            byHand: { try self.byHand("UPDATE Product SET stock = number", "SELECT count(*) FROM Product WHERE stock = number") })
    }

    private func runStage() throws {
        let container = try ModelContainer(
            for: CatalogV2.Product.self, migrationPlan: StagePlan.self, configurations: ModelConfiguration(url: ours))
        let count = try ModelContext(container).fetchCount(FetchDescriptor<CatalogV2.Product>(predicate: #Predicate { $0.stock == $0.number }))
        try WrongResult.check(count == rows, "\(count) rows were filled")
    }
}

extension FetchDescriptor<CatalogV2.Product> {
    fileprivate static var one: Self {
        var descriptor = Self()
        descriptor.fetchLimit = 1
        return descriptor
    }
}
