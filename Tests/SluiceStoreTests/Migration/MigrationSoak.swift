import Foundation
import SluiceSQLite
import SluiceSchema

@testable import SluiceStore

/// Three stages over a store of any size, cut off again and again: afterwards the store is wholly the old one or wholly the new one.
struct MigrationSoak: Sendable {
    /// Appends a line to the file that `SLUICE_SOAK` names: what a test's process prints comes when it has ended.
    static func say(_ text: String) {
        guard let path = ProcessInfo.processInfo.environment["SLUICE_SOAK"], let file = FileHandle(forWritingAtPath: path) else { return }
        do {
            try file.seekToEnd()
            try file.write(contentsOf: Data("soak: \(text)\n".utf8))
        } catch { print("\(path): \(error)") }
    }

    /// What was found where that does not hold.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    let folder: String
    let rows: Int
    /// The store before and after, as `digest` sees it.
    private(set) var before = 0
    private(set) var after = 0
    /// How long one migration takes here, in microseconds; what kills are spread over.
    private(set) var duration = 0

    var original: String { "\(folder)/original.store" }
    var trial: String { "\(folder)/trial.store" }

    /// Makes the store of the first version, and the one that it has to become.
    init(folder: String, rows: Int) throws {
        self.folder = folder
        self.rows = rows
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.fill("\(folder)/filled.store", rows: rows)
        try Connection.copyDatabase(from: "\(folder)/filled.store", to: original)
        try begin()
        before = try digest()
        let clock = ContinuousClock()
        duration = Int(try clock.measure { try Self.migrate(trial) } / .microseconds(1))
        after = try digest()
    }

    /// People in teams, each inserted, and every seventh edited since it was last sent.
    private static func fill(_ path: String, rows: Int) throws {
        let options = MigrationFixture.options(StoreFixture.TestClock())
        let store = try Store(path: path, schema: Schema(name: "test", validating: Person.one), options: options)
        let teams = max(1, rows / 100)
        try store.write {
            for index in 0..<teams {
                _ = try store.put("Team", name: .text("t\(index)"), RowEdit(attributes: ["label": .string("team \(index)")]))
            }
        }
        for start in stride(from: 0, to: rows, by: 5_000) {
            try store.write {
                for index in start..<min(rows, start + 5_000) {
                    let edit = RowEdit(
                        attributes: ["name": .string("Last \(index), First")], references: ["team": .text("t\(index % teams)")])
                    _ = try store.put("Person", name: .text("p\(index)"), edit)
                }
            }
        }
        try store.drainChanges()
        try store.write {
            for index in stride(from: 0, to: rows, by: 7) {
                _ = try store.put("Person", name: .text("p\(index)"), RowEdit(attributes: ["age": .integer(3)]))
            }
        }
        _ = try store.connection.checkpoint()
    }

    static func migrate(_ path: String) throws { try Person.migrate(path, clock: StoreFixture.TestClock()) }

    /// Puts the old store in the trial's place.
    func begin() throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: trial + suffix) {
            try FileManager.default.removeItem(atPath: trial + suffix)
        }
        try Connection.copyDatabase(from: original, to: trial)
    }

    /// What the trial's store holds: every row of every table, but for moments and the number of the file. Equal within one process only.
    func digest() throws -> Int {
        let connection = try Connection(path: trial, mode: .readWrite)
        guard try connection.integrityFaults().isEmpty else { throw Violation(description: "integrity_check finds faults") }
        var hasher = Hasher()
        let tables = try connection.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_sluice_transaction' ORDER BY name"
        ) { $0.text(0) }
        for table in tables {
            let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { $0.text(0) }
            let condition = table == "_sluice_store" ? " WHERE key <> 'store'" : ""
            // One text per row, made by SQLite: quoting tells values of different kinds apart.
            let text = columns.map { "quote(\(SQLText.name($0)))" }.joined(separator: " || ',' || ")
            hasher.combine(table)
            try connection.forEachRow("SELECT \(text) FROM \(SQLText.name(table))\(condition) ORDER BY 1") { hasher.combine($0.text(0)) }
        }
        return hasher.finalize()
    }

    /// Judges the trial's store after it was cut off at a point, and finishes what was begun.
    /// - Returns: whether it was the new one already.
    @discardableResult
    func check(_ point: String, completing: Bool = true) throws -> Bool {
        let found = try digest()
        guard found == before || found == after else {
            throw Violation(description: "\(point): the store is neither the old one nor the new one")
        }
        guard completing, found == before else { return found == after }
        try Self.migrate(trial)
        guard try digest() == after else { throw Violation(description: "\(point): the next attempt made another store") }
        return false
    }

    #if DEBUG
        /// How many writes one migration makes. Only in a process whose disk may fail.
        func writeCount() throws -> Int {
            try begin()
            DiskFault.arm("full:1000000000")
            try Self.migrate(trial)
            return DiskFault.passedCount
        }

        /// Migrates on a disk that fails at a write. A failure leaves the store as it was, so that the next trial needs no other.
        /// - Returns: whether it did not fail.
        func fail(_ kind: String, at write: Int) throws -> Bool {
            DiskFault.arm("\(kind):\(write)")
            var isDone = true
            do { try Self.migrate(trial) } catch is SQLiteError { isDone = false }
            DiskFault.arm("\(kind):1000000000")
            guard try check("\(kind) at write \(write)", completing: false) == isDone else {
                let found = isDone ? "done, and the store is the old one" : "an error, and the store is the new one"
                throw Violation(description: "\(kind) at write \(write): \(found)")
            }
            return isDone
        }
    #endif
}
