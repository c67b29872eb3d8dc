// From rows to their values and to other rows. Every row that is not in the statement's tables is known by an expression for its key; a
// value of it is a scalar query by that key, which SQLite answers from the table's own tree.

import Foundation
import SluiceSchema
import SluiceSQLite

extension PredicateTranslator {
    /// What a key path of a model leads to.
    /// - Throws: `SwiftDataError.unsupportedPredicate` for a property that is not stored.
    func property(_ keyPath: AnyKeyPath, of row: RowTerm) throws -> SQLTerm {
        guard let property = row.binding.shape.property(for: keyPath) else {
            if Self.isIdentifier(keyPath) { return .identifier(row) }
            throw SwiftDataError.untranslatable(
                "\(row.binding.entity.name)'s computed property of type \(type(of: keyPath).valueType) (\(keyPath))",
                "write its condition out over stored properties")
        }
        return try self.property(property, of: row)
    }

    func property(_ property: ModelProperty, of row: RowTerm) throws -> SQLTerm {
        let binding = row.binding
        if let place = binding.linkIndex(at: property.index) {
            let link = binding.links[place]
            return link.isToMany ? .rows(try members(of: row, link)) : .row(try destination(of: row, link))
        }
        guard let column = binding.columns[property.index], let form = ColumnForm(property, of: binding) else {
            throw SwiftDataError.untranslatable("\(binding.entity.name).\(property.name), which is ephemeral,", "compare a stored property")
        }
        let definition = binding.store.layout.table(of: binding.entity).columns[column]
        let value = value(of: definition, form: form, of: row)
        return definition.isExternal ? .external(property: "\(binding.entity.name).\(property.name)", value) : .value(value)
    }

    /// A key path of a model that leads to its own identifier, and not to one that the class computes from something else.
    private static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool {
        guard type(of: keyPath).valueType == PersistentIdentifier.self, let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return false }
        func leadsToIt<Model: PersistentModel>(_ type: Model.Type) -> Bool {
            guard let keyPath = keyPath as? KeyPath<Model, PersistentIdentifier> else { return false }
            let model = Model(_$state: _ModelState())
            return model[keyPath: keyPath] == model.persistentModelID
        }
        return leadsToIt(root)
    }

    // MARK: Columns

    private func value(of column: TableLayout.Column, form: ColumnForm, of row: RowTerm) -> ValueTerm {
        func expression(_ alias: String) -> (SQLFragment, SQLFragment) {
            let sql: SQLFragment = "\(sql: alias).\(sql: column.sql)"
            return (sql, column.shadowName.map { "coalesce(\(sql: alias).\(sql: SQLText.name($0)), \(sql))" } ?? sql)
        }
        switch row.place {
        case .alias(let alias):
            let (sql, comparison) = expression(alias)
            return ValueTerm(sql, comparison: comparison, form: form, causes: [comparison])
        case .key(let key):
            let alias = alias(ofRowAt: key)
            let (sql, comparison) = expression(alias)
            let source = source(of: row.binding, alias: alias, key: key)
            return ValueTerm(
                "(SELECT \(sql) \(source))", comparison: "(SELECT \(comparison) \(source))", form: form, causes: row.causes)
        }
    }

    private func source(of binding: EntityBinding, alias: String, key: SQLFragment) -> SQLFragment {
        visit(binding.tableID)
        return "FROM \(sql: binding.store.layout.table(of: binding.entity).sql) AS \(sql: alias) WHERE \(sql: alias)._pk = \(key)"
    }

    /// A column of a row that is not a property of its class: a reference, the discriminator.
    private func column(_ name: String, of row: RowTerm) -> SQLFragment {
        switch row.place {
        case .alias(let alias): return "\(sql: alias).\(sql: name)"
        case .key(let key):
            let alias = alias(ofRowAt: key)
            return "(SELECT \(sql: alias).\(sql: name) \(source(of: row.binding, alias: alias, key: key)))"
        }
    }

    // MARK: Relationships

    private func destination(of row: RowTerm, _ link: LinkBinding) throws -> RowTerm {
        let binding = try binding(atEndOf: link, of: row)
        let layout = row.binding.store.layout
        switch link.link.place {
        case .own(let column):
            let name = layout.table(of: row.binding.entity).columns[column].sql
            return RowTerm(.key(self.column(name, of: row)), binding, causes: row.causes)
        case .inverse(let table, let column):
            visit(link.table)
            let alias = alias(ofRowAt: row.key)
            let holder = layout.tables[table]
            return RowTerm(
                .key(
                    """
                    (SELECT \(sql: alias)._pk FROM \(sql: holder.sql) AS \(sql: alias) \
                    WHERE \(sql: alias).\(sql: holder.columns[column].sql) = \(row.key) LIMIT 1)
                    """), binding, causes: row.causes)
        case .join:
            throw SwiftDataError.untranslatable("\(row.binding.entity.name).\(link.link.relationship.name)", "ask from its other end")
        }
    }

    private func members(of row: RowTerm, _ link: LinkBinding) throws -> RowSet {
        let binding = try binding(atEndOf: link, of: row)
        let tables = row.binding.store.layout.tables
        return RowSet(element: binding) { [self] in
            visit(link.table)
            let alias = newAlias()
            let element = RowTerm(.alias(alias), binding)
            let table: SQLFragment = "\(sql: binding.store.layout.table(of: binding.entity).sql) AS \(sql: alias)"
            switch link.link.place {
            case .inverse(let holder, let column):
                let name = tables[holder].columns[column].sql
                let position = link.link.positionColumn.map { "\(alias).\(tables[holder].columns[$0].sql), " } ?? ""
                return RowSource(
                    row: element, tables: table, conditions: ["(\(sql: alias).\(sql: name) = \(row.key))"], order: "\(sql: position)\(sql: alias)._pk")
            case .join(let join, let own, let other):
                let (pairs, pair) = (tables[join], newAlias())
                let position = link.link.positionColumn.map { "\(pair).\(pairs.columns[$0].sql), " } ?? ""
                return RowSource(
                    row: element,
                    tables: """
                        \(sql: pairs.sql) AS \(sql: pair) JOIN \(table) \
                        ON \(sql: alias)._pk = \(sql: pair).\(sql: pairs.columns[other].sql)
                        """,
                    conditions: ["(\(sql: pair).\(sql: pairs.columns[own].sql) = \(row.key))"], order: "\(sql: position)\(sql: pair)._pk")
            case .own: throw SwiftDataError.untranslatable("\(row.binding.entity.name).\(link.link.relationship.name)", "ask from its other end")
            }
        }
    }

    private func binding(atEndOf link: LinkBinding, of row: RowTerm) throws -> EntityBinding {
        let name = link.link.relationship.destination
        guard let binding = schema.binding(named: name) ?? schema.anyBinding(ofTable: link.table) else {
            throw SwiftDataError.untranslatable("\(row.binding.entity.name).\(link.link.relationship.name)", "list \(name) among the container's models")
        }
        return binding
    }

    // MARK: Classes

    /// Whether a row is of a class or one of its subclasses.
    /// - Throws: `SwiftDataError.unsupportedPredicate` for a class of another hierarchy, or one that the container does not have.
    func isKind(_ row: RowTerm, of type: any PersistentModel.Type) throws -> Condition {
        let binding = try binding(castTo: type, from: row)
        guard !row.binding.shape.isKind(of: binding.shape), let family = binding.store.layout.rowEntities(of: binding.entity) else {
            return row.presence
        }
        let discriminator = column("_entity", of: row)
        let isOfFamily = Condition("(\(discriminator) IN (\(SQLFragment(SQLText.placeholders(family.count), family.map(SQLiteValue.text)))))")
        return row.presence.and(isOfFamily)
    }

    /// The row as one of a subclass.
    func cast(_ row: RowTerm, to type: any PersistentModel.Type) throws -> RowTerm {
        let isOfClass = try isKind(row, of: type)
        return RowTerm(row.place, try binding(castTo: type, from: row), isOfClass: isOfClass.constant == true ? nil : isOfClass)
    }

    private func binding(castTo type: any PersistentModel.Type, from row: RowTerm) throws -> EntityBinding {
        guard let binding = schema.binding(of: type), binding.tableID == row.binding.tableID else {
            throw SwiftDataError.untranslatable(
                "\(row.binding.entity.name) as \(type)", "name a class of the same hierarchy, and list it among the container's models")
        }
        return binding
    }
}
