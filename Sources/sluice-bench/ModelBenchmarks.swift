import CBenchmarks
import Foundation
import SluiceData

/// The model rows of design §13.
final class ModelBenchmarks {
    private let folder: URL
    private let rows: Int
    private let manyRows: Int
    private var round = 0
    private var filled: [Int: (mine: URL, theirs: String)] = [:]

    init(folder: URL, rows: Int, manyRows: Int) {
        self.folder = folder
        self.rows = rows
        self.manyRows = manyRows
    }

    var all: [Benchmark] { [insertion, fetch, values, lookup, figures, update, memory] }

    // MARK: Insertion

    private var insertion: Benchmark {
        Benchmark(
            name: "insert \(rows) and save, changes captured", goal: .ratio(2), prepare: { self.round += 1 },
            ours: { try self.insert(self.rows, into: self.folder.appending(path: "ours-\(self.round).store")) },
            byHand: { try self.insertByHand(self.rows, into: self.folder.appending(path: "hand-\(self.round).sqlite").path) })
    }

    private func insert(_ count: Int, into url: URL) throws {
        let container = try ModelContainer(for: ShoppingItem.self, configurations: ModelConfiguration(url: url))
        let context = ModelContext(container)
        for number in 0..<count { context.insert(ShoppingItem(number: number, id: Self.identifier(number))) }
        try context.save()
        try WrongResult.check(try context.fetchCount(FetchDescriptor<ShoppingItem>()) == count, "not every model was inserted")
    }

    private func insertByHand(_ count: Int, into path: String) throws {
        let code = sluice_bench_insert(path, Int64(count))
        try WrongResult.check(code == 0, "the C loop ended with SQLite code \(code)")
    }

    static func identifier(_ number: Int) -> UUID {
        var bytes = [UInt8](repeating: 0, count: 16)
        sluice_bench_uuid(UInt64(number), &bytes)
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: Fetches

    /// Stores of that many rows, made once for both sides.
    private func stores(_ count: Int) throws -> (mine: URL, theirs: String) {
        if let known = filled[count] { return known }
        let stores = (mine: folder.appending(path: "ours-of-\(count).store"), theirs: folder.appending(path: "hand-of-\(count).sqlite").path)
        try fill(stores.mine, with: count)
        try insertByHand(count, into: stores.theirs)
        filled[count] = stores
        return stores
    }

    /// As one fills a large store: so many at a time.
    private func fill(_ url: URL, with count: Int) throws {
        let container = try ModelContainer(for: ShoppingItem.self, configurations: ModelConfiguration(url: url))
        for start in stride(from: 0, to: count, by: 10_000) {
            let context = ModelContext(container)
            for number in start..<min(count, start + 10_000) { context.insert(ShoppingItem(number: number, id: Self.identifier(number))) }
            try context.save()
        }
    }

    private func context(_ count: Int) throws -> ModelContext {
        // SQL by hand prunes no history either, of its own changes or of ours.
        var configuration = ModelConfiguration(url: try stores(count).mine)
        configuration.historyRetention = .unlimited
        return ModelContext(try ModelContainer(for: ShoppingItem.self, configurations: configuration))
    }

    private var fetch: Benchmark {
        Benchmark(
            name: "fetch \(rows) as models", goal: .ratio(2), prepare: { _ = try self.stores(self.rows) },
            ours: {
                let models = try self.context(self.rows).fetch(FetchDescriptor<ShoppingItem>())
                // A look at some: reading a property of a model for the first time is another cost than fetching it.
                let wrong = stride(from: 0, to: models.count, by: 101).first { models[$0].name != "Item \($0)" }
                try WrongResult.check(models.count == self.rows && wrong == nil, "other models than those inserted")
            },
            byHand: {
                var (count, sum): (Int64, Int64) = (0, 0)
                let code = sluice_bench_fetch(try self.stores(self.rows).theirs, &count, &sum)
                try WrongResult.check(code == 0 && count == Int64(self.rows), "the C loop read \(count) rows")
            })
    }

    private var values: Benchmark {
        var expected: Int64?
        return Benchmark(
            name: "fetch two values of \(rows)", goal: .ratio(1.15), prepare: { _ = try self.stores(self.rows) },
            ours: {
                let values = try self.context(self.rows).fetchValues(FetchDescriptor<ShoppingItem>(), \.name, \.quantity)
                let sum = values.reduce(0) { $0 + $1.0.utf8.count + $1.1 }
                try WrongResult.check(values.count == self.rows && (expected == nil || Int64(sum) == expected), "other values than the C loop's")
            },
            byHand: {
                var (count, sum): (Int64, Int64) = (0, 0)
                let code = sluice_bench_fetch_values(try self.stores(self.rows).theirs, &count, &sum)
                expected = sum
                try WrongResult.check(code == 0 && count == Int64(self.rows), "the C loop read \(count) rows")
            })
    }

    private var lookup: Benchmark {
        let count = 10_000
        return Benchmark(
            name: "fetch one by unique key, \(count) times", goal: .microseconds(10, of: count), prepare: { _ = try self.stores(self.rows) },
            ours: {
                let context = try self.context(self.rows)
                for number in 0..<count {
                    let wanted = Self.identifier(number % self.rows)
                    var descriptor = FetchDescriptor<ShoppingItem>(predicate: #Predicate { $0.id == wanted })
                    descriptor.fetchLimit = 1
                    try WrongResult.check(try context.fetch(descriptor).first?.id == wanted, "another model than the one asked for")
                }
            }, byHand: nil)
    }

    // MARK: Many rows

    /// The same SQL over the same file.
    private func byHand(_ sql: String) throws -> Int64 {
        var result: Int64 = 0
        let code = sluice_bench_statement(try stores(manyRows).mine.path, sql, &result)
        try WrongResult.check(code == 0, "\(sql) ended with SQLite code \(code)")
        return result
    }

    private var figures: Benchmark {
        var expected: Int64?
        return Benchmark(
            name: "sum over \(manyRows)", goal: .ratio(1.1), prepare: { _ = try self.stores(self.manyRows) },
            ours: {
                let sum = try self.context(self.manyRows).aggregate(ShoppingItem.self, .sum(\.quantity), where: #Predicate { $0.isChecked })
                try WrongResult.check(expected == nil || Int64(sum) == expected, "another sum than that of the same SQL")
            }, byHand: { expected = try self.byHand("SELECT sum(quantity) FROM ShoppingItem WHERE isChecked = 1") })
    }

    private var update: Benchmark {
        var expected: Int64?
        // Another value each time: a row that keeps its value is no change.
        var value = 100
        func next() -> Int {
            value += 1
            return value
        }
        return Benchmark(
            name: "update half of \(manyRows), changes captured", goal: .ratio(1.1), prepare: { _ = try self.stores(self.manyRows) },
            ours: {
                let count = try self.context(self.manyRows).update(
                    ShoppingItem.self, where: #Predicate { $0.isChecked }, set: .set(\.quantity, to: next()))
                try WrongResult.check(expected == nil || Int64(count) == expected, "another number of rows than the same SQL changed")
            }, byHand: { expected = try self.byHand("UPDATE ShoppingItem SET quantity = \(next()) WHERE isChecked = 1") })
    }

    private var memory: Benchmark {
        Benchmark(
            name: "memory while \(manyRows) are inserted and enumerated", goal: .mebibytes(100),
            ours: {
                let url = self.folder.appending(path: "memory.store")
                try self.fill(url, with: self.manyRows)
                let context = ModelContext(try ModelContainer(for: ShoppingItem.self, configurations: ModelConfiguration(url: url)))
                var count = 0
                try context.enumerate(FetchDescriptor<ShoppingItem>(), batchSize: 5_000) { _ in count += 1 }
                try WrongResult.check(count == self.manyRows, "\(count) models were enumerated")
            })
    }
}
