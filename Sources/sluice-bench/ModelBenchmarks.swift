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

    var all: [Benchmark] { [insertion, fetch, lookup] }

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
        try insert(count, into: stores.mine)
        try insertByHand(count, into: stores.theirs)
        filled[count] = stores
        return stores
    }

    private func context(_ count: Int) throws -> ModelContext {
        let url = try stores(count).mine
        return ModelContext(try ModelContainer(for: ShoppingItem.self, configurations: ModelConfiguration(url: url)))
    }

    private var fetch: Benchmark {
        var expected: Int64 = 0
        return Benchmark(
            name: "fetch \(rows) as models", goal: .ratio(2), prepare: { _ = try self.stores(self.rows) },
            ours: {
                let models = try self.context(self.rows).fetch(FetchDescriptor<ShoppingItem>())
                let first = models.prefix(1_000).reduce(0) { $0 + $1.quantity + $1.name.utf8.count }
                try WrongResult.check(models.count == self.rows && first > 0 && expected > 0, "other models than the C loop's")
            },
            byHand: {
                var count: Int64 = 0
                let code = sluice_bench_fetch(try self.stores(self.rows).theirs, &count, &expected)
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
}
