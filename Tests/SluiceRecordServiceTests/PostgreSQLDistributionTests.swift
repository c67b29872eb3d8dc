import Foundation
import PostgreSQLFixture
import SluicePostgreSQL
import Testing

@testable import SluiceRecordService

/// `Deploy/citus.sql` against the tables as they are, and the tables against what Citus asks of those that it distributes
/// (https://docs.citusdata.com/en/stable/develop/reference_ddl.html): what can be known without one.
@Suite(.timeLimit(.minutes(10))) struct PostgreSQLDistributionTests {
    /// The calls of the script, in their order.
    private static func calls() throws -> (references: [String], distributed: [String]) {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let script = try String(contentsOf: package.appending(path: "Deploy/citus.sql"), encoding: .utf8)
        return (
            script.matches(of: /SELECT create_reference_table\('([a-z_]+)'\);/).map { String($0.1) },
            script.matches(of: /SELECT create_distributed_table\('([a-z_]+)', 'database'(?:, colocate_with => 'head')?\);/).map { String($0.1) }
        )
    }

    private static func rows(_ sql: String, columns: Int) async throws -> [[String]] {
        let fixture = try await StorageFixture(.postgresql)
        let connection = try PostgreSQLConnection(PostgreSQLTarget(PostgreSQLCluster.shared.get().target(), schema: fixture.schema))
        _ = try connection.run("SELECT set_config('search_path', $1, false)", [.text(fixture.schema)])
        let result = try connection.run(sql)
        return (0..<result.rowCount).map { row in (0..<columns).map { result.text(row, $0) } }
    }

    @Test func `every table is distributed by its database or a reference table, once`() async throws {
        let (references, distributed) = try Self.calls()
        let tables = try await Self.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", columns: 1).map { $0[0] }
        #expect((references + distributed).sorted() == tables.sorted())
    }

    @Test func `whatever is unique in a distributed table is so within its database, and numbers are drawn in reference tables only`() async throws {
        let distributed = try Self.calls().distributed
        let indices = try await Self.rows(
            """
            SELECT class.relname, index.indexrelid::regclass::text, CASE WHEN column_names.attname IS NULL THEN 'no' ELSE 'yes' END FROM pg_index index
            JOIN pg_class class ON class.oid = index.indrelid
            LEFT JOIN pg_attribute column_names ON column_names.attrelid = class.oid AND column_names.attname = 'database'
                AND column_names.attnum = index.indkey[0]
            WHERE class.relnamespace = current_schema()::regnamespace AND index.indisunique
            """, columns: 3)
        #expect(indices.count { distributed.contains($0[0]) } >= 9)
        for index in indices where distributed.contains(index[0]) { #expect(index[2] == "yes", "\(index[1]) does not begin with the database") }
        let drawn = try await Self.rows(
            """
            SELECT table_name FROM information_schema.columns
            WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval%')
            """, columns: 1)
        #expect(Set(drawn.map { $0[0] }) == ["database", "token"] && !drawn.contains { distributed.contains($0[0]) })
    }

    @Test func `a distributed table points at reference tables, or at its own database in another; reference tables at reference tables`() async throws {
        let (references, distributed) = try Self.calls()
        let order = references + distributed
        let keys = try await Self.rows(
            """
            SELECT source.relname, target.relname, source_key.attname, target_key.attname FROM pg_constraint pointer
            JOIN pg_class source ON source.oid = pointer.conrelid JOIN pg_class target ON target.oid = pointer.confrelid
            JOIN pg_attribute source_key ON source_key.attrelid = source.oid AND source_key.attnum = pointer.conkey[1]
            JOIN pg_attribute target_key ON target_key.attrelid = target.oid AND target_key.attnum = pointer.confkey[1]
            WHERE pointer.contype = 'f' AND pointer.connamespace = current_schema()::regnamespace
            """, columns: 4)
        #expect(keys.count == 4)
        for key in keys {
            let isWithin = distributed.contains(key[0]) && distributed.contains(key[1]) && key[2] == "database" && key[3] == "database"
            #expect(references.contains(key[1]) || isWithin, "\(key)")
            // The one that is pointed at first.
            #expect(try #require(order.firstIndex(of: key[1])) < #require(order.firstIndex(of: key[0])), "\(key)")
        }
    }
}
