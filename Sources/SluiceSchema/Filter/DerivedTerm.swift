package import SluiceSQLite

/// A value that is worked out for each row of one entity, as a term of a SELECT over its table, whose alias is `t`.
package struct DerivedTerm {
    /// The value as a column of `type` holds it.
    package let sql: SQLFragment
    package let type: AttributeType
    /// Whether it may be nil.
    package let isOptional: Bool
    /// What it looks at besides the row.
    package let dependencies: [FilterDependency]

    /// - Throws: `FilterError` where the expression does not fit the entity, or gives no value that an attribute can hold.
    package init(_ expression: FilterExpression, of entity: StoredEntity, in layout: StoredSchema) throws(FilterError) {
        var translation = FilterTranslation(layout: layout, entity: entity)
        let term = try translation.term(expression)
        guard let type = term.type else {
            throw .unsupported(property: term.name, reason: "a reference is no value; name a property of its destination")
        }
        try FilterBounds.checkDepth(term.sql)
        sql = term.sql
        self.type = type
        isOptional = !Self.isCertain(expression)
        dependencies = translation.dependencies
    }

    /// A number of rows, and a condition, are never nil.
    private static func isCertain(_ expression: FilterExpression) -> Bool {
        switch expression {
        case .aggregate(let aggregate): aggregate.function == .count && aggregate.members.path.names.count == 1
        case .and, .or, .not, .comparison, .membership, .some, .all: true
        default: false
        }
    }
}
