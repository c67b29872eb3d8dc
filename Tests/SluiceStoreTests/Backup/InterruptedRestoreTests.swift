import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// A restore that is cut off anywhere: the old store or the restored one, whole, and the next attempt completes.
@Suite(.timeLimit(.minutes(10))) struct InterruptedRestoreTests {
    private let fixture: MigrationFixture
    private let backup: StoreBackup
    private let old: [String]
    private let restored: [String]

    /// 400 rows; of the backup's, half were changed since and half deleted.
    init() throws {
        fixture = try MigrationFixture()
        try fixture.open(.shop) { store in
            try store.write {
                for index in 0..<400 {
                    let edit = RowEdit(attributes: ["sku": .string("s\(index)"), "count": .integer(1)])
                    _ = try store.put("Item", name: .text("i\(index)"), edit)
                }
            }
        }
        backup = try StoreBackup.make(of: fixture.path, label: "manual")
        restored = try Self.rows(fixture.path)
        try fixture.open { store in
            try store.write {
                for index in 0..<200 { _ = try store.delete(.text("i\(index)")) }
                for index in 200..<400 { _ = try store.put("Item", name: .text("i\(index)"), .init(attributes: ["count": .integer(2)])) }
            }
        }
        old = try Self.rows(fixture.path)
    }

    private static func rows(_ path: String) throws -> [String] {
        try Connection(path: path, mode: .readWrite).rows("SELECT _id, sku, count FROM Item ORDER BY _pk") {
            "\($0.text(0)) \($0.text(1)) \($0.integer(2))"
        }
    }

    private func check(_ expected: [String]) throws {
        #expect(try Self.rows(fixture.path) == expected)
        try fixture.checkSoundness()
        for backup in try StoreBackup.all(of: fixture.path) { #expect(backup.details().fault == nil) }
        try backup.restore(to: fixture.path)
        #expect(try Self.rows(fixture.path) == restored)
        #expect(try StoreBackup.all(of: fixture.path).allSatisfy { $0.details().fault == nil })
    }

    @Test(arguments: [("restoreKept", false), ("committing", false), ("committed", false), ("restored", true)])
    func `a process killed in a restore leaves the whole old store or the whole restored one`(point: String, isDone: Bool) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = fixture.path as String, backup = backup.path as String, point = point as String] in
            setenv("SLUICE_FAILPOINT", "\(point):1", 1)
            try StoreBackup(path: backup).restore(to: path)
        }
        try check(isDone ? restored : old)
    }

    @Test(arguments: ["full", "write", "sync"])
    func `a disk that fails at any write or sync leaves the old store, and an error that names it`(kind: String) async throws {
        let lines = (old + ["=="] + restored).joined(separator: "\n")
        await #expect(processExitsWith: .success) {
            [path = fixture.path as String, backup = backup.path as String, kind = kind as String, lines = lines as String] in
            setenv("SLUICE_DISK_FAULT", "full:1000000000", 1)
            #if DEBUG
                let states = lines.split(separator: "==\n").map { $0.split(separator: "\n").map(String.init) }
                var failureCount = 0
                for point in 1...2_000 {
                    DiskFault.arm("\(kind):\(point)")
                    var failure: RestoreFailure?
                    do { try StoreBackup(path: backup).restore(to: path) } catch let error as RestoreFailure { failure = error }
                    DiskFault.arm("\(kind):1000000000")
                    var isReplaced = failure == nil
                    if case .notDurable? = failure?.reason { isReplaced = true }
                    #expect(try Self.rows(path) == states[isReplaced ? 1 : 0], "at \(point): \(failure.map { "\($0)" } ?? "done")")
                    #expect(try Connection(path: path, mode: .readWrite).integrityFaults().isEmpty)
                    guard let failure else { break }
                    #expect(failure.description.contains(path))
                    if kind == "full", case .failed = failure.reason { Issue.record("\(failure)") }
                    failureCount += 1
                }
                #expect(failureCount > 3 && failureCount < 2_000)
            #endif
        }
        try check(restored)
    }
}
