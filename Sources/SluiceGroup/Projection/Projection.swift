package import SluiceSchema

/// The rule that fills the local store with one entity: which rows, which of their properties.
///
/// It covers the entity and its subentities, except those that have a projection of their own. An entity without one is not in the local
/// store.
package struct Projection: Hashable, Sendable {
    package var entity: String
    /// nil takes every row.
    package var filter: RowFilter?
    /// Names of attributes and relationships; nil takes all. A relationship has two ends: naming it at one of them is enough.
    package var fields: [String]?
    /// Decides, with the limit, which rows are taken; it is not the order in which helpers read them.
    package var order: RowOrder
    package var limit: Int?

    package init(
        _ entity: String, where filter: RowFilter? = nil, fields: [String]? = nil, order: RowOrder = RowOrder(), limit: Int? = nil
    ) {
        self.entity = entity
        self.filter = filter
        self.fields = fields
        self.order = order
        self.limit = limit
    }

    /// Projections that take everything there is.
    package static func everything(in schema: Schema) -> [Projection] { schema.roots.map { Projection($0.name) } }

    func selects(_ property: String) -> Bool { fields?.contains(property) ?? true }
}

extension Projection: CustomStringConvertible {
    /// Two projections that read alike select alike; the local store remembers what it was filled by in this form.
    package var description: String {
        var text = entity
        if let fields { text += " fields [\(fields.sorted().joined(separator: ", "))]" }
        if let filter { text += " where \(filter)" }
        if !order.terms.isEmpty { text += " order \(order)" }
        if let limit { text += " limit \(limit)" }
        return text
    }
}
