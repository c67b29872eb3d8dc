import FoundationEssentials
import SluiceSQLite

/// A property path as an expression over the layout, with the type that decides how literals are read.
struct ResolvedProperty {
    let path: String
    /// The expression to compare; the rows' table has the alias `t`.
    let sql: String
    private let content: Content
    /// The entities whose rows the expression looks at besides the row itself.
    let visited: [StoredEntity]

    private enum Content {
        case attribute(AttributeType)
        /// A to-one relationship: the destination's key, compared with a record name.
        case reference(table: TableLayout)
    }

    init(_ path: PropertyPath, of entity: StoredEntity, in layout: StoredSchema) throws(FilterError) {
        self.path = path.description
        var visited: [StoredEntity] = []
        (sql, content) = try Self.resolve(path.names[...], of: entity, alias: "t", in: layout, visited: &visited)
        self.visited = visited
    }

    private static func resolve(
        _ names: ArraySlice<String>, of entity: StoredEntity, alias: String, in layout: StoredSchema, visited: inout [StoredEntity]
    ) throws(FilterError) -> (String, Content) {
        let table = layout.table(of: entity)
        let name = names.first ?? ""
        let rest = names.dropFirst()
        if rest.isEmpty, let column = entity.columns.map({ table.columns[$0] }).first(where: { $0.attribute?.name == name }),
            let attribute = column.attribute
        {
            return (column.comparisonSQL, .attribute(attribute.type))
        }
        guard let link = entity.link(named: name), let destination = layout.entities[link.relationship.destination] else {
            throw .unknownProperty(name, entity: entity.name, known: known(entity, in: table))
        }
        guard !link.relationship.isToMany else {
            throw .unsupported(property: name, reason: "a filter follows to-one relationships only; filter the entity at its other end")
        }
        if rest.isEmpty, case .own(let column) = link.place {
            return ("\(alias).\(table.columns[column].sql)", .reference(table: layout.table(of: destination)))
        }
        visited.append(destination)
        let inner = "\(alias)_"
        let target = layout.table(of: destination)
        let (expression, content) =
            rest.isEmpty
            ? ("\(inner)._pk", Content.reference(table: target))
            : try resolve(rest, of: destination, alias: inner, in: layout, visited: &visited)
        let condition =
            switch link.place {
            case .own(let column): "\(inner)._pk = \(alias).\(table.columns[column].sql)"
            case .inverse(let other, let column): "\(inner).\(layout.tables[other].columns[column].sql) = \(alias)._pk LIMIT 1"
            case .join: throw .unsupported(property: name, reason: "it is kept in a table of pairs; filter the entity at its other end")
            }
        return ("(SELECT \(expression) FROM \(target.sql) AS \(inner) WHERE \(condition))", content)
    }

    private static func known(_ entity: StoredEntity, in table: TableLayout) -> [String] {
        entity.columns.compactMap { table.columns[$0].attribute?.name } + entity.links.map(\.relationship.name)
    }

    // MARK: What it may be compared with

    /// What stands for the literal in a comparison.
    var placeholder: String {
        guard case .reference(let table) = content else { return "?" }
        // A name that no row has must differ from nil: 0 is nobody's key.
        return "coalesce((SELECT _pk FROM \(table.sql) WHERE _id = ?), 0)"
    }

    var mayHoldNaN: Bool {
        switch content {
        case .attribute(.double), .attribute(.float), .attribute(.date): true
        default: false
        }
    }

    func requireOrder() throws(FilterError) {
        switch content {
        case .attribute(.decimal):
            throw .unsupported(property: path, reason: "decimals have no order in the store; use a number or integer")
        case .reference: throw .unsupported(property: path, reason: "a reference has no order; name a property of its destination")
        default: break
        }
    }

    /// The literal as the column stores it.
    func value(of literal: RowFilter.Literal) throws(FilterError) -> SQLiteValue {
        switch content {
        case .reference:
            guard case .text(let name) = literal else { throw wrongType("a record name in quotes", literal) }
            return RecordName(name).stored
        case .attribute(let type): return try value(of: literal, as: type)
        }
    }

    private func value(of literal: RowFilter.Literal, as type: AttributeType) throws(FilterError) -> SQLiteValue {
        switch (type, literal) {
        case (.string, .text(let text)): return .text(CanonicalText.nfc(text))
        case (.url, .text(let text)): return .text(text)
        case (.int16, .integer(let value)), (.int32, .integer(let value)), (.int64, .integer(let value)): return .integer(value)
        case (.int16, .number(let value)), (.int32, .number(let value)), (.int64, .number(let value)): return .real(value)
        case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
        case (.double, .integer(let value)): return .integer(value)
        case (.double, .number(let value)): return .real(value)
        case (.float, .integer(let value)): return .real(Double(Float(value)))
        case (.float, .number(let value)): return .real(Double(Float(value)))
        case (.date, .text(let text)): return .real(try date(text))
        case (.uuid, .text(let text)):
            guard let uuid = UUID(uuidString: text) else { throw wrongType("a UUID", literal) }
            return PropertyValue.uuid(uuid).stored
        case (.decimal, _): throw .unsupported(property: path, reason: "decimals are compared with nil only")
        case (.data, _), (.codable, _), (.transformable, _): throw .unsupported(property: path, reason: "bytes are compared with nil only")
        default: throw wrongType(Self.expectation(type), literal)
        }
    }

    private func date(_ text: String) throws(FilterError) -> Double {
        // Read by the one reader of dates, so that a row is found by the text that it was given as, to the last bit.
        if let date = ScalarForm.date(text) ?? ScalarForm.date(text + "T00:00:00Z") { return date.timeIntervalSinceReferenceDate }
        throw wrongType("a date such as \"2026-01-31\" or \"2026-01-31T12:00:00Z\"", .text(text))
    }

    /// The text that a search looks for.
    func value(ofSearched text: String) throws(FilterError) -> String {
        switch content {
        case .attribute(.string): return CanonicalText.nfc(text)
        case .attribute(.url): return text
        default: throw .unsupported(property: path, reason: "only text is searched")
        }
    }

    private func wrongType(_ expected: String, _ literal: RowFilter.Literal) -> FilterError {
        let found =
            switch literal {
            case .null: "nil"
            case .boolean(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .text: "a text"
            }
        return .wrongType(property: path, expected: expected, found: found)
    }

    private static func expectation(_ type: AttributeType) -> String {
        switch type {
        case .boolean: "true or false"
        case .int16, .int32, .int64, .float, .double: "a number"
        case .date: "a date in quotes"
        case .uuid: "a UUID in quotes"
        default: "a text in quotes"
        }
    }
}
