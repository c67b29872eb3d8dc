import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

extension ContextCore {
    func model(for identifier: PersistentIdentifier) -> any PersistentModel {
        if let model = registeredModel(for: identifier) { return model }
        guard let (binding, key) = place(of: identifier) else { return unknown(identifier) }
        return model(at: key, table: binding.tableID, of: binding) ?? unknown(identifier)
    }

    func registeredModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        guard let (binding, key) = place(of: identifier) else { return nil }
        return registered(key, table: binding.tableID)
    }

    private func place(of identifier: PersistentIdentifier) -> (EntityBinding, Int64)? {
        guard let binding = schema.binding(named: identifier.entityName), let key = key(of: identifier, binding) else { return nil }
        // A row of another store is nobody here, whatever its number.
        if let store = identifier.storeIdentifier, store != binding.store.identifier { return nil }
        return (binding, key)
    }

    private func key(of identifier: PersistentIdentifier, _ binding: EntityBinding) -> Int64? {
        binding.store.custom == nil ? identifier.contextKey : binding.customKey(of: identifier) ?? identifier.contextKey
    }

    /// A model of no row: it carries the identifier, and reads as defaults.
    private func unknown(_ identifier: PersistentIdentifier) -> any PersistentModel {
        let binding = schema.binding(named: identifier.entityName) ?? schema.bindings.first
        guard let binding else { preconditionFailure("a container without a model class has no models") }
        let state = _ModelState(core: self, binding: binding, key: identifier.contextKey ?? 0)
        let model = binding.type.init(_$state: state)
        state.leave(.gone)
        return model
    }

    /// Models of rows, in the order of the keys. Rows that are gone are left out.
    func models(of keys: [(key: Int64, binding: EntityBinding)]) throws -> [any PersistentModel] {
        var alive: [any PersistentModel] = []
        for (table, group) in Dictionary(grouping: keys, by: { $0.binding.tableID }) {
            guard let binding = schema.anyBinding(ofTable: table) else { continue }
            let missing = group.map(\.key).filter { registered($0, table: table) == nil }
            if let rows = binding.store.custom {
                alive += try models(of: missing, table: binding, from: rows)
                continue
            }
            for part in missing.inParts(of: 500) {
                alive += try rows(of: binding, where: "t._pk IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer))
            }
        }
        return withExtendedLifetime(alive) { keys.compactMap { registered($0.key, table: $0.binding.tableID) } }
    }

    // MARK: Many rows at once

    func deleteAll<Model: PersistentModel>(
        _ type: Model.Type, where predicate: Predicate<Model>?, includingSubclasses: Bool, author: String?
    ) throws {
        let binding = try schema.require(type)
        if let rows = binding.store.custom {
            try deletePending(type, where: predicate, includingSubclasses: includingSubclasses)
            return try deleteAll(type, where: predicate, includingSubclasses: includingSubclasses, in: binding.store, rows)
        }
        let statement = try FetchStatement(
            FetchDescriptor(predicate: predicate), of: binding, in: schema, includingSubclasses: includingSubclasses)
        try deletePending(type, where: predicate, includingSubclasses: includingSubclasses)
        let (sql, values) = statement.selecting("t._pk")
        let gone = try withExtendedLifetime(statement) {
            try binding.store.commit(author: author, editor: editingState.id) { store in
                try store.deleteRows(try store.connection.rows(sql, values) { RowKey(table: binding.entity.table, key: $0.integer(0)) })
            }
        }
        let tables = schema.tableIDs(of: binding.store)
        settleDeletions(gone.map { ($0.key, tables[$0.table]) })
    }

    /// New models that match leave: they have no rows.
    private func deletePending<Model: PersistentModel>(_ type: Model.Type, where predicate: Predicate<Model>?, includingSubclasses: Bool) throws {
        for model in inserted.models {
            guard let model = model as? Model, includingSubclasses || Swift.type(of: model) == type else { continue }
            if try predicate.map({ try $0.evaluate(model) }) ?? true { delete(model) }
        }
    }
}

extension PersistentIdentifier {
    /// The key that contexts know the model by; nil for rows of custom stores without integer keys, and for new models of other runs.
    var contextKey: Int64? { rowKey ?? newNumber.map { -Int64(clamping: $0) } }
}
