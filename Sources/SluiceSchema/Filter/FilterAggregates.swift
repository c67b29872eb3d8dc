import SluiceSQLite

extension FilterTranslation {
    /// One value from the members of a to-many relationship.
    mutating func aggregate(_ aggregate: FilterAggregate) throws(FilterError) -> FilterTerm {
        let name = "\(FilterExpression.aggregate(aggregate))"
        let (source, rest) = try source(at: aggregate.members.path)
        let condition = try condition(of: aggregate.members, source)
        let selection: SQLFragment = "FROM \(source.from) WHERE \(source.condition)\(condition)"
        func whole(_ sql: SQLFragment, _ type: AttributeType) -> FilterTerm {
            // Without the row whose members they are there is no number of them.
            let value: SQLFragment = source.hasOwner ? "(\(sql))" : "iif(\(source.owner.key) IS NULL, NULL, (\(sql)))"
            return FilterTerm(value, kind: .attribute(type), name: name)
        }
        if aggregate.function == .count {
            if let property = rest.first { throw .unsupported(property: property, reason: "rows are counted, not their values") }
            return whole("SELECT count(*) \(selection)", .int64)
        }
        guard !rest.isEmpty else {
            throw .unsupported(property: name, reason: "it needs a property of the rows, such as items.price")
        }
        let value = try term(.path(FilterPath(depth: aggregate.members.depth, Array(rest))))
        switch aggregate.function {
        case .count, .sum, .average:
            let isSum = aggregate.function == .sum
            if value.type == .decimal {
                return whole("SELECT \(sql: isSum ? FilterFunctions.decimalTotal : FilterFunctions.decimalMean)(\(value.sql)) \(selection)", .decimal)
            }
            guard value.kind.isNumber else { throw .unsupported(property: value.name, reason: "only numbers are added up") }
            let function = isSum ? (value.kind.isInteger ? FilterFunctions.sum : FilterFunctions.total) : FilterFunctions.average
            return whole("SELECT \(sql: function)(\(value.sql)) \(selection)", isSum && value.kind.isInteger ? .int64 : .double)
        case .min, .max:
            return try extreme(of: value, by: value, isLast: aggregate.function == .max, selection, source, name)
        case .earliest, .latest:
            let order = try term(.path(FilterPath(depth: aggregate.members.depth, aggregate.order)))
            return try extreme(of: value, by: order, isLast: aggregate.function == .latest, selection, source, name)
        }
    }

    /// The value in the row that comes first or last. Rows that are equal in it come in the order of their record names, which is the same on
    /// every device.
    private func extreme(
        of value: FilterTerm, by order: FilterTerm, isLast: Bool, _ selection: SQLFragment, _ source: FilterSource, _ name: String
    ) throws(FilterError) -> FilterTerm {
        try order.requireOrder()
        guard value.type != nil else { throw .unsupported(property: value.name, reason: "a reference is no value; name a property") }
        let alias = source.member.alias ?? "t"
        // A NaN comes neither first nor last.
        let isValue: SQLFragment =
            order.type == .decimal
            ? "\(order.comparison) > x'00'"
            : order.mayHoldNaN ? "typeof(\(order.comparison)) NOT IN ('null', 'text')" : "\(order.comparison) IS NOT NULL"
        let direction = isLast ? " DESC" : ""
        func first(_ sql: SQLFragment) -> SQLFragment {
            """
            (SELECT \(sql) \(selection) AND \(isValue) \
            ORDER BY \(order.comparison)\(sql: direction), \(sql: alias)._id\(sql: direction) LIMIT 1)
            """
        }
        return FilterTerm(first(value.sql), comparison: first(value.comparison), kind: value.kind, name: name)
    }
}
