/// Names that Core Data makes for columns and tables, taken apart.
enum ColumnNames {
    /// Columns that every entity's table has.
    static let structure: [String: String] = [
        "Z_PK": "row number", "Z_ENT": "entity number", "Z_OPT": "update counter",
    ]

    /// `Z7_ORGANIZATION` → (7, "ORGANIZATION"): the entity number of what ZORGANIZATION points at.
    static func companion(_ name: String) -> (number: Int64, name: String)? {
        guard let (digits, rest) = numbered(name.dropFirst(), after: "Z", in: name), rest.hasPrefix("_"), rest.count > 1 else { return nil }
        return (digits, String(rest.dropFirst()))
    }

    /// `Z_FOK_ITEMS` or `Z_FOK_3ITEMS` → "ITEMS" or "3ITEMS": positions in an ordered relationship.
    static func order(_ name: String) -> String? {
        name.hasPrefix("Z_FOK_") && name.count > 6 ? String(name.dropFirst(6)) : nil
    }

    /// `Z_16USERS` → (16, "USERS"), a join table's name or column.
    static func join(_ name: String) -> (number: Int64, name: String)? {
        guard name.hasPrefix("Z_"), let (digits, rest) = numbered(name.dropFirst(2), after: "Z_", in: name), !rest.isEmpty else {
            return nil
        }
        return (digits, String(rest))
    }

    /// Whether `name` is `base`, or `base` with the number that Core Data adds when a name is taken.
    static func isNumbered(_ name: String, form base: String) -> Bool {
        name.hasPrefix(base) && name.dropFirst(base.count).allSatisfy { $0.isASCII && $0.isNumber }
    }

    private static func numbered(
        _ text: Substring, after prefix: String, in name: String
    ) -> (Int64, Substring)? {
        guard name.hasPrefix(prefix) else { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        return (number, text.dropFirst(digits.count))
    }
}
