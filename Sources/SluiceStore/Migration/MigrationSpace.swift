// How much room a migration takes, for the error of one that finds the disk full. Everything it writes stands in the write-ahead log until
// the commit, and makes the file grow afterwards.

import SluiceSQLite
import SluiceSchema

/// Which tables the steps of one migration write anew, under the names that they have in the file as it is on the disk.
struct MigrationSpace {
    /// Once for each time that a table is written.
    private var written: [String] = []
    /// Names in the file, by the names that the steps so far gave.
    private var originals: [String: String] = [:]

    private func original(_ table: String) -> String { originals[table] ?? table }

    /// To be called before a step is taken.
    mutating func note(_ change: SchemaChange) {
        let layout = change.layout
        var names: [String: String] = [:]
        for table in layout.tables {
            let final = layout.new.tables[table.table].name
            guard let source = table.source.map({ original(layout.old.tables[$0].name) }) else {
                // Pairs of a relationship that gets a table of its own come from the rows that had it.
                let members = Set(table.pairs.map { original(layout.old.tables[$0.membership.table].name) })
                written += members.sorted()
                names[final] = members.min()
                continue
            }
            names[final] = source
            if table.isRebuilt || !layout.fills(of: table).isEmpty { written.append(source) }
        }
        originals = names
    }

    /// About as many bytes as the steps take beside the store: twice what the tables take that they write, with their indexes and what the
    /// log keeps of them.
    /// - Parameter connection: sees the file as it is on the disk.
    func byteCount(_ connection: Connection) -> Int {
        let least = 1_048_576
        do {
            let sizes = try sizes(connection)
            return max(least, 2 * written.reduce(0) { $0 + (sizes[$1] ?? 0) })
        } catch {
            // A SQLite that does not measure tables: as if each step wrote all of them.
            return max(least, 2 * ((try? connection.byteCount) ?? 0) * max(1, Set(written).count))
        }
    }

    private func sizes(_ connection: Connection) throws -> [String: Int] {
        let pages = try connection.rows(
            """
            SELECT m.tbl_name, sum(s.pgsize) FROM dbstat AS s JOIN sqlite_master AS m ON m.name = s.name WHERE s.aggregate = TRUE GROUP BY 1
            """
        ) { ($0.text(0), Int($0.integer(1))) }
        var sizes = Dictionary(pages, uniquingKeysWith: +)
        for (number, name) in try connection.rows("SELECT number, name FROM _sluice_table", [], { ($0.integer(0), $0.text(1)) }) {
            sizes[name, default: 0] += sizes["_sluice_old_\(number)"] ?? 0
        }
        return sizes
    }
}
