import SluiceSQLite

/// What a part of a predicate is in SQL.
indirect enum SQLTerm {
    /// A value that is known before anything is fetched. It may be a nil of any optional type.
    case constant(Any)
    case value(ValueTerm)
    /// A property whose large values lie in files: SQL knows whether there is one, and nothing else of it.
    case external(property: String, ValueTerm)
    /// A value that Swift makes of columns, row by row.
    case computed(ComputedTerm)
    case condition(Condition)
    /// A condition on something that may be nil, and is nil where `presence` does not hold.
    case optionalCondition(presence: Condition, Condition)
    case row(RowTerm)
    case rows(RowSet)
    /// The persistent identifier of a row.
    case identifier(RowTerm)
    case range(RangeTerm)
    /// A text in which others are searched, or that is searched for, without regard to case and diacritics.
    case search(SQLTerm)

    /// A condition that depends on no row is a constant like any other.
    static func of(_ condition: Condition) -> SQLTerm { condition.constant.map(SQLTerm.constant) ?? .condition(condition) }
}

/// A value in a column, or an expression that has the form of one.
struct ValueTerm {
    /// NULL stands for nil.
    var sql: SQLFragment
    /// What is compared: for text its NFC form.
    var comparison: SQLFragment
    let form: ColumnForm
    /// Expressions of which any NULL makes this one NULL.
    var causes: Set<SQLFragment> = []

    init(_ sql: SQLFragment, comparison: SQLFragment? = nil, form: ColumnForm, causes: Set<SQLFragment> = []) {
        self.sql = sql
        self.comparison = comparison ?? (form.comparison == .text ? "\(sql: SQLFunctions.normal)(\(sql))" : sql)
        self.form = form
        self.causes = causes.union([sql])
    }
}

/// A value that a closure makes of the values of some expressions.
struct ComputedTerm {
    var arguments: [SQLFragment]
    /// The arguments in their order; nil stands for nil. Never stops the program: what Swift has no value for is nil.
    var body: ([SQLiteValue]) -> Any?

    init(_ arguments: [SQLFragment], _ body: @escaping ([SQLiteValue]) -> Any?) {
        self.arguments = arguments
        self.body = body
    }
}

/// A range whose bounds are known or depend on the row.
struct RangeTerm {
    let lower: SQLTerm?
    let upper: SQLTerm?
    let includesUpper: Bool
}
