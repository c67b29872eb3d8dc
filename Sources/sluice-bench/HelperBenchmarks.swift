import Foundation
import SluiceGroup
import SluiceReader
import SluiceSchema
import SluiceStore

/// A group container, and the same questions to it by the helper and by the `sqlite3` shell.
struct HelperBenchmarks {
    private let groups: String
    private let store: String
    private let rows: Int
    private let glance: String
    private let shell: String

    init(folder: URL, rows: Int, glance: String, shell: String) throws {
        groups = folder.appending(path: "groups").path
        self.rows = rows
        self.glance = glance
        self.shell = shell
        let schema = try Schema(
            name: "shop",
            validating: [
                Entity(
                    "Item",
                    attributes: [Attribute("title", .string), Attribute("price", .int64), Attribute("isChecked", .boolean)])
            ])
        let synced = try Store(path: folder.appending(path: "Private.store").path, schema: schema, options: Store.Options(zone: "shop"))
        try synced.write {
            for number in 0..<rows {
                let edit = RowEdit(attributes: [
                    "title": .string("Item \(number)"), "price": .integer(Int64(number)), "isChecked": .boolean(number.isMultiple(of: 3)),
                ])
                try synced.put("Item", name: .text("\(number)"), edit)
            }
        }
        let writer = try LocalStoreWriter(
            group: GroupDirectory(preparing: "\(groups)/shop", unixGroup: nil), projections: Projection.everything(in: schema),
            privateStoreSchema: schema)
        let file = try writer.update(from: synced, lastSync: Date()).file
        try writer.close()
        store = "\(groups)/shop/\(file.name)"
    }

    private func helper(_ arguments: [String]) -> [String] { [glance] + arguments + ["--groups-dir", groups, "--group", "shop"] }
    private func sql(_ statement: String) -> [String] { [shell, "-readonly", "-tabs", store, statement] }

    /// - Throws: `WrongResult` where helper and shell do not print the same.
    func all() throws -> [Benchmark] {
        let count = (helper(["count", "Item", "--where", "isChecked == false"]), sql("SELECT count(*) FROM Item WHERE isChecked = 0"))
        let first = (
            helper(["query", "Item", "price > 10", "--order", "price desc", "--limit", "5", "--fields", "title,price"]),
            sql("SELECT title, price FROM Item WHERE price > 10 ORDER BY price DESC LIMIT 5")
        )
        let every = (helper(["list", "Item", "--limit", "0", "--fields", "title,price"]), sql("SELECT title, price FROM Item"))
        for (helper, shell) in [count, first, every] {
            let (mine, theirs) = (try SpawnedProgram(helper).output(), try SpawnedProgram(shell).output())
            try WrongResult.check(!mine.isEmpty && mine == theirs, "\(helper) and \(shell) print different texts")
        }
        return [
            alone("count of \(rows) rows, start to end", count.0, .milliseconds(3)), compared("the same, beside the shell", count),
            compared("5 of \(rows) rows in an order", first), compared("all \(rows) rows", every),
            alone("memory of the helper, all rows", every.0, .programMebibytes(10, of: every.0)),
            alone("memory of the shell, all rows", every.1, .programMebibytes(10, of: every.1)),
        ]
    }

    private func alone(_ name: String, _ command: [String], _ goal: Benchmark.Goal) -> Benchmark {
        Benchmark(name: name, goal: goal, ours: { _ = try SpawnedProgram(command).output() })
    }

    private func compared(_ name: String, _ sides: (helper: [String], shell: [String])) -> Benchmark {
        Benchmark(
            name: name, goal: .ratio(1), ours: { _ = try SpawnedProgram(sides.helper).output() },
            byHand: { _ = try SpawnedProgram(sides.shell).output() })
    }
}
