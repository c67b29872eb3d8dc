import SluiceCommandLine
import SluiceSchema

/// Which rows, as they were typed.
struct QueryOptions: Sendable {
    static let filter = Parameter<String>.option("where", short: "w", value: "FILTER", help: "Only rows that meet this condition.")

    static let discussion = """
        A filter compares properties with values: isChecked == false && (price > 3 || list.title.contains("food")).
        It knows == != < <= > >=, in [...], .contains("..."), .hasPrefix("..."), && || ! and parentheses. Texts and dates stand in quotes.
        """

    let filter: String?
    let order: String?

    func rowFilter() throws(UsageError) -> RowFilter? {
        guard let filter else { return nil }
        do { return try RowFilter(parsing: filter) } catch { throw UsageError("--where, \(error)", argument: filter) }
    }

    func rowOrder() throws(UsageError) -> RowOrder {
        guard let order else { return RowOrder() }
        do { return try RowOrder(parsing: order) } catch { throw UsageError("--order, \(error)", argument: order) }
    }
}
