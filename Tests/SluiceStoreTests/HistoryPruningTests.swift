import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// What a store without a coordinator forgets by itself.
@Suite struct HistoryPruningTests {
    /// A store with transactions of so many changes each, a minute apart.
    private func fixture(_ counts: [Int]) throws -> StoreFixture {
        let fixture = try StoreFixture(.shop)
        for (number, count) in counts.enumerated() {
            try fixture.store.write {
                for index in 0..<count { try fixture.store.put("Item", name: RecordName("\(number)-\(index)"), RowEdit()) }
            }
            fixture.clock.now += 60
        }
        return fixture
    }

    private func log(_ store: Store) throws -> [Int64] {
        try store.connection.rows("SELECT seq FROM _sluice_change ORDER BY seq") { $0.integer(0) }
    }

    private func transactionCount(_ store: Store) throws -> Int64 {
        try store.connection.integer("SELECT count(*) FROM _sluice_transaction")
    }

    private let start: Int64 = 1_700_000_000_000

    @Test func `transactions from before a moment go, with their old values`() throws {
        let fixture = try fixture([2, 2, 2])
        let store = fixture.store
        try store.write { try store.delete(RecordName("2-0")) }
        let outcome = try store.pruneHistory(before: start + 90_000, keeping: .max)
        #expect(outcome.count == 4 && outcome.isComplete)
        #expect(try log(store) == [5, 6, 7])
        #expect(try transactionCount(store) == 2)
        let old = try store.tableNumbers.map { try store.connection.integer("SELECT count(*) FROM _sluice_old_\($0)") }
        #expect(old.reduce(0, +) == 1)
        try store.pruneHistory(before: .max, keeping: 0)
        #expect(try log(store) == [7])
    }

    @Test func `changes beyond a number go, in whole transactions`() throws {
        let store = try fixture([3, 3, 3]).store
        #expect(try store.pruneHistory(before: nil, keeping: 9).count == 0)
        #expect(try store.pruneHistory(before: nil, keeping: 5).count == 6)
        #expect(try log(store) == [7, 8, 9])
    }

    @Test func `the newest transaction stays, whatever is asked`() throws {
        let store = try fixture([1, 4]).store
        #expect(try store.pruneHistory(before: .max, keeping: 0).count == 1)
        #expect(try log(store) == [2, 3, 4, 5])
    }

    @Test func `a long history goes in parts that cut no transaction`() throws {
        let store = try fixture([3, 3, 3, 1]).store
        let first = try store.pruneHistory(before: nil, keeping: 1, limit: 4)
        #expect(first.count == 6 && !first.isComplete)
        #expect(try log(store) == [7, 8, 9, 10])
        let second = try store.pruneHistory(before: nil, keeping: 1, limit: 4)
        #expect(second.count == 3 && second.isComplete)
    }

    @Test func `what a registered reader has not seen stays`() throws {
        let store = try fixture([2, 2, 2]).store
        try store.setCursor("widget", at: 2)
        #expect(try store.pruneHistory(before: .max, keeping: 0).count == 2)
        #expect(try log(store).first == 3)
    }

    @Test func `a store that is or was synced is left alone`() throws {
        let synced = try fixture([2, 2, 2]).store
        try synced.setSyncValue(.integer(6), for: .drained)
        #expect(try synced.pruneHistory(before: .max, keeping: 0).count == 0)
        let owned = try fixture([2, 2, 2]).store
        try owned.set(.text("account notes"), for: "owner")
        #expect(try owned.pruneHistory(before: .max, keeping: 0).count == 0)
        #expect(try log(owned).count == 6)
    }

    @Test func `an outbox that starts later sends the rows whose history went`() throws {
        let store = try fixture([2, 2, 2]).store
        try store.pruneHistory(before: nil, keeping: 2)
        #expect(try store.syncValue(.cut)?.integer == 4)
    }

    @Test func `transactions that changed nothing are forgotten`() throws {
        let fixture = try fixture([1])
        for _ in 0..<5 { try fixture.store.write {} }
        try fixture.store.write { try fixture.store.put("Item", RowEdit()) }
        #expect(try transactionCount(fixture.store) == 7)
        try fixture.store.pruneHistory(before: start + 30_000, keeping: .max)
        #expect(try transactionCount(fixture.store) == 1)
    }

    @Test func `edits by another program go with what came after them`() throws {
        let fixture = try fixture([1])
        try fixture.store.connection.execute("UPDATE Item SET price = 3")
        try fixture.store.write { try fixture.store.put("Item", RowEdit()) }
        fixture.clock.now += 60
        #expect(try fixture.store.pruneHistory(before: start + 30_000, keeping: .max).count == 1)
        try fixture.store.write { try fixture.store.put("Item", RowEdit()) }
        #expect(try fixture.store.pruneHistory(before: start + 90_000, keeping: .max).count == 2)
        #expect(try log(fixture.store) == [4])
    }
}
