import SluiceSQLite

/// Says what an expression of a stage may read and call.
struct ExpressionJudge {
    let tables: Set<String>
    private(set) var called: Set<String> = []
    /// The first thing that it may not.
    private(set) var refused: String?
    private(set) var expectation = "an expression that only reads entities"

    init(tables: Set<String>) { self.tables = tables }

    /// Functions that every SQLite has and that give the same everywhere.
    static let functions = Set(PureDates.functions.keys).union([
        "abs", "char", "coalesce", "format", "glob", "hex", "ifnull", "iif", "instr", "length", "like", "likelihood", "likely", "lower",
        "ltrim",
        "max", "min", "nullif", "printf", "quote", "replace", "round", "rtrim", "sign", "substr", "substring", "trim", "typeof", "unicode",
        "unlikely", "upper", "zeroblob", "avg", "count", "group_concat", "sum", "total", "row_number", "rank", "dense_rank", "lag", "lead",
        "first_value", "last_value", "nth_value", "json", "json_array", "json_array_length", "json_extract", "->", "->>", "json_insert",
        "json_object", "json_patch", "json_quote", "json_remove", "json_replace", "json_set", "json_type", "json_valid", "json_group_array",
        "json_group_object",
    ])

    /// The same for functions that give rows.
    static let tableFunctions: Set<String> = ["json_each", "json_tree"]

    mutating func allows(_ access: Connection.Access) -> Bool {
        switch access {
        case .query: return true
        case .read(let table, _):
            if tables.contains(table) || Self.tableFunctions.contains(table) { return true }
            refuse("table `\(table)`, which is no entity's")
        case .call(let function):
            let name = function.lowercased()
            called.insert(name)
            if Self.functions.contains(name) { return true }
            refuse("function \(name)()", expected: "functions that every SQLite has and that give the same on every device")
        case .other(let action):
            refuse("what does more than read (SQLite action \(action))")
        }
        return false
    }

    private mutating func refuse(_ what: String, expected: String? = nil) {
        guard refused == nil else { return }
        refused = what
        if let expected { expectation = expected }
    }
}
