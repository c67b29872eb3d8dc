import SluiceSchema
import SluiceSQLite

/// A row that a predicate looks at: the one it is asked about, one at the end of a relationship, or one of many.
struct RowTerm {
    enum Place {
        /// In the statement's tables, under that name.
        case alias(String)
        /// Elsewhere: the row that has this key. NULL stands for no row.
        case key(SQLFragment)
    }

    let place: Place
    let binding: EntityBinding
    /// Holds where the row is of the class it was cast to; nil where it was not cast.
    let isOfClass: Condition?
    /// Keys of which any NULL makes this row's NULL.
    let causes: Set<SQLFragment>

    init(_ place: Place, _ binding: EntityBinding, isOfClass: Condition? = nil, causes: Set<SQLFragment> = []) {
        self.place = place
        self.binding = binding
        self.isOfClass = isOfClass
        if case .key(let key) = place { self.causes = causes.union([key]) } else { self.causes = causes }
    }

    /// The row's key; NULL where there is no row.
    var key: SQLFragment {
        let own: SQLFragment =
            switch place {
            case .alias(let name): "\(sql: name)._pk"
            case .key(let key): key
            }
        return isOfClass.map { "iif(\($0.sql), \(own), NULL)" } ?? own
    }

    /// Holds where there is a row.
    var presence: Condition {
        var presence: Condition
        switch place {
        case .alias: presence = Condition(true)
        case .key(let key): presence = Condition("(\(key) IS NOT NULL)", isTotal: true, opposite: "(\(key) IS NULL)")
        }
        if let isOfClass { presence = presence.and(isOfClass) }
        presence.presentWhereTrue.insert(key)
        return presence
    }

    /// The same row, where it is known that there is one.
    var unwrapped: RowTerm { RowTerm(place, binding, causes: causes) }
}

/// Rows of one class: the members of a relationship, all or some of them.
struct RowSet {
    let element: EntityBinding
    /// Makes the source anew for each use: a statement that looks at the same members twice needs two names for them.
    let source: () throws -> RowSource
}

/// Where rows come from, and under what conditions.
struct RowSource {
    let row: RowTerm
    let tables: SQLFragment
    var conditions: [SQLFragment]
    /// The order in which a model has them.
    let order: SQLFragment

    var from: SQLFragment { conditions.isEmpty ? "FROM \(tables)" : "FROM \(tables) WHERE \(conditions.joined(by: " AND "))" }

    func filtered(by condition: Condition) -> RowSource {
        var source = self
        source.conditions.append(condition.sql)
        return source
    }
}
