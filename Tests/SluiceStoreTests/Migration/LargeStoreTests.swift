import Foundation
import SluiceSQLite
import SluiceSchema
import Testing

@testable import SluiceStore

/// What costs nothing by the row costs nothing in a million rows. Counted in pages, not by the clock.
@Suite struct LargeStoreTests {
    private static let count = 1_000_000

    @Test func `a million rows get a default without one of them being written, logged or sent`() throws {
        let fixture = try MigrationFixture()
        let old = [Entity("Item", attributes: [Attribute("name", .string)], relationships: [Relationship("next", to: "Item")])]
        try fixture.open(old) { store in
            try store.write(.pull) {
                try store.insertingMany(keys: [0: 1...Int64(Self.count)]) {
                    try store.connection.run(
                        """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                            INSERT INTO Item(_pk, _id, name) SELECT i, 'item ' || i, 'name ' || i FROM n
                        """, [.integer(Int64(Self.count))])
                }
            }
            _ = try store.connection.checkpoint()
        }
        let log = try fixture.rows("SELECT count(*), max(seq) FROM _sluice_change")
        let pages = try fixture.count("PRAGMA page_count")
        let wanted = try Schema(
            name: "test", version: SchemaVersion(2, 0, 0),
            validating: [
                Entity(
                    "Item",
                    attributes: [
                        Attribute("name", .string), Attribute("shelf", .string, defaultValue: .string("a")),
                        Attribute("note", .string, isOptional: true),
                    ],
                    relationships: [Relationship("next", to: "Item")])
            ])
        let change = try SchemaChange(from: #require(try Store.schema(at: fixture.path)), to: wanted, kind: .lightweight())
        #expect(change.isConstantTime)
        try StoreMigration(path: fixture.path, options: fixture.options).run { try $0.advance(by: change) }
        let connection = try Connection(path: fixture.path, mode: .readWrite)
        let frames = try connection.rows("PRAGMA wal_checkpoint(PASSIVE)") { $0.integer(1) }
        #expect(try #require(frames.first) < 40)
        #expect(try fixture.count("PRAGMA page_count") < pages + 10)
        #expect(try fixture.rows("SELECT count(*), max(seq) FROM _sluice_change") == log)
        #expect(
            try fixture.rows("SELECT count(*), min(shelf), max(shelf) FROM Item") == [
                [.integer(Int64(Self.count)), .text("a"), .text("a")]
            ])
        try fixture.open { store in
            try store.drainChanges()
            #expect(try store.pendingChanges(limit: 1, at: .max).isEmpty)
        }
    }
}
