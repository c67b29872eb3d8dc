import SluiceSchema
import SluiceSQLite

/// The columns that a fetch selects from one table, the same for every class in it. The table's alias is `t`.
///
/// Large values wait until they are asked for: columns of `.externalStorage` are not among them.
struct TableSelection {
    private let table: String
    /// `_pk`, `_entity` in a hierarchy, then columns.
    let early: String
    private let earlyColumns: [Int: Int32]

    init(_ table: TableLayout) {
        self.table = table.sql
        let fixed = ["t._pk"] + (table.isHierarchy ? ["t._entity"] : [])
        var early = fixed
        var earlyColumns: [Int: Int32] = [:]
        for (index, column) in table.columns.enumerated() {
            guard column.attribute?.isExternal != true else { continue }
            earlyColumns[index] = Int32(early.count)
            early.append("t.\(column.sql)")
        }
        self.early = early.joined(separator: ", ")
        self.earlyColumns = earlyColumns
        self.fixed = fixed
        names = table.columns.map { "t.\($0.sql)" }
    }

    private let fixed: [String]
    private let names: [String]

    /// The fixed columns and some of the others, in the order of the table.
    func columns(_ wanted: Set<Int>) -> String { (fixed + wanted.sorted().map { names[$0] }).joined(separator: ", ") }

    /// For properties that lie in `columns` of the table, their columns in `columns(wanted)`. The caller frees it.
    func map(_ columns: [Int?], among wanted: Set<Int>) -> UnsafeMutablePointer<Int32> {
        let places = Dictionary(uniqueKeysWithValues: wanted.sorted().enumerated().map { ($1, Int32(fixed.count + $0)) })
        return map(columns, places)
    }

    /// The statement for rows that meet a condition.
    /// - Parameter columns: other columns than those of every fetch.
    func statement(
        selecting columns: String? = nil, joining join: String = "", where condition: String, order: String = ""
    ) -> String {
        "SELECT \(columns ?? early) FROM \(table) AS t \(join) WHERE \(condition)" + (order.isEmpty ? "" : " ORDER BY \(order)")
    }

    func isLate(_ column: Int) -> Bool { earlyColumns[column] == nil }

    /// For properties that lie in `columns` of the table, the columns of the selection. The caller frees it.
    func map(_ columns: [Int?]) -> UnsafeMutablePointer<Int32> { map(columns, earlyColumns) }

    private func map(_ columns: [Int?], _ places: [Int: Int32]) -> UnsafeMutablePointer<Int32> {
        let map = UnsafeMutablePointer<Int32>.allocate(capacity: max(1, columns.count))
        map.initialize(repeating: -1, count: max(1, columns.count))
        for (index, column) in columns.enumerated() {
            if let column, let place = places[column] { map[index] = place }
        }
        return map
    }
}
