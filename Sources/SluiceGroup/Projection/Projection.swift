package import SluiceSchema

/// The rule that fills the local store with one entity: which rows, which of their properties, which values worked out from others.
///
/// It covers the entity and its subentities, except those that have a projection of their own. An entity without one is not in the local
/// store.
package struct Projection: Hashable, Sendable {
    /// A value that helpers find in a row and that the synced store has elsewhere: `list.name`, `count(items where isChecked == false)`.
    package struct DerivedField: Hashable, Sendable {
        package var name: String
        package var expression: FilterExpression

        package init(_ name: String, _ expression: FilterExpression) {
            self.name = name
            self.expression = expression
        }
    }

    package var entity: String
    /// nil takes every row.
    package var filter: RowFilter?
    /// Names of attributes and relationships; nil takes all. A relationship has two ends: naming it at one of them is enough.
    package var fields: [String]?
    package var derived: [DerivedField]
    /// Decides, with the limit, which rows are taken; it is not the order in which helpers read them.
    package var order: RowOrder
    package var limit: Int?
    /// How old the last sync may be before helpers should call these rows stale; nil leaves it to them.
    package var freshness: Duration?

    package init(
        _ entity: String, where filter: RowFilter? = nil, fields: [String]? = nil, derived: [DerivedField] = [], order: RowOrder = RowOrder(),
        limit: Int? = nil, freshness: Duration? = nil
    ) {
        self.entity = entity
        self.filter = filter
        self.fields = fields
        self.derived = derived
        self.order = order
        self.limit = limit
        self.freshness = freshness
    }

    /// Projections that take everything there is.
    package static func everything(in schema: Schema) -> [Projection] { schema.roots.map { Projection($0.name) } }

    func selects(_ property: String) -> Bool { fields?.contains(property) ?? true }
}

extension Projection: CustomStringConvertible {
    /// Two projections that read alike select alike; the local store remembers what it was filled by in this form. Freshness is no part of
    /// it: it changes no row.
    package var description: String {
        var text = entity
        if let fields { text += " fields [\(fields.sorted().joined(separator: ", "))]" }
        if !derived.isEmpty {
            text += " derived [\(derived.map { "\($0.name): \($0.expression)" }.sorted().joined(separator: ", "))]"
        }
        if let filter { text += " where \(filter)" }
        if !order.terms.isEmpty { text += " order \(order)" }
        if let limit { text += " limit \(limit)" }
        return text
    }
}
