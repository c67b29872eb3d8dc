// Rows that become models on the way: values that were not fetched, partners of relationships, members of to-manys.

import Foundation
import SluiceSchema
import SluiceSQLite

extension ContextCore {
    // MARK: Values

    /// Fills empty slots of a model from its row: those that a fetch fills, or for a large value its own alone. A row that is gone leaves
    /// them empty.
    /// - Parameter index: the property that was asked for; nil for what a fetch reads.
    func load(_ model: any PersistentModel, at index: Int? = nil) {
        let state = model._$state
        guard let binding = state.binding, state.key > 0 else { return }
        let late = index.flatMap(binding.lateProperty)
        let columns = UnsafePointer(late?.map ?? binding.columnMap)
        attempting {
            if let rows = binding.store.custom { return try load(model, from: rows) }
            try binding.store.read { connection in
                try connection.forEachRow(binding.rowSQL(late), [.integer(state.key)]) { statement in
                    let reader = _RowReader(statement, columns: columns, state: state, binding: binding)
                    reader.aim(at: state, of: binding, columns: columns, fill: .missing)
                    model._$decode(reader)
                }
            }
        }
    }

    /// Fills every empty slot, those of large values too.
    func loadEverything(_ model: any PersistentModel) {
        load(model)
        for property in model._$state.binding?.lateProperties ?? [] { load(model, at: property.index) }
    }

    /// Forgets large values that nobody edited: another context may have saved others. They are read again when they are asked for.
    func unloadLateProperties(of model: any PersistentModel, _ binding: EntityBinding) {
        let indices = binding.lateProperties.map(\.index).filter { !model._$state.isChanged($0) }
        guard !indices.isEmpty else { return }
        var clearing = SlotClearing(only: indices)
        model._$visit(&clearing)
    }

    /// The instance of a row; nil where the row is gone.
    func model(at key: Int64, table: Int, of hint: EntityBinding?) -> (any PersistentModel)? {
        if let model = registered(key, table: table) { return model }
        guard key > 0, let binding = hint ?? schema.anyBinding(ofTable: table) else { return nil }
        let model =
            if let rows = binding.store.custom {
                first(try models(of: [key], table: binding, from: rows))
            } else {
                first(try rows(of: binding, where: "t._pk = ?", [.integer(key)]))
            }
        if let model { remember(model) }
        return model
    }

    // MARK: To-one

    /// The key that a to-one points at; nil where it points nowhere.
    func reference(of state: _ModelState, link: Int) -> Int64? {
        if case .unloaded = state.link(link), let model = state.model { loadReference(of: model, link: link) }
        if case .one(let key) = state.link(link) { return key }
        return nil
    }

    private func loadReference(of model: any PersistentModel, link place: Int) {
        let state = model._$state
        guard let binding = state.binding else { return }
        // A snapshot says both ends.
        switch binding.store.custom == nil ? binding.links[place].link.place : .own(column: 0) {
        case .own:
            load(model)
            if !state.isLoaded(link: place) { state.setLink(place, to: .one(nil)) }
        case .inverse(let table, let column):
            guard state.key > 0, let partner = schema.anyBinding(ofTable: binding.links[place].table) else { return state.setLink(place, to: .one(nil)) }
            let name = binding.store.layout.tables[table].columns[column].sql
            let found = first(try rows(of: partner, where: "t.\(name) = ?", [.integer(state.key)]))
            if let found { remember(found) }
            state.setLink(place, to: .one(found?._$state.key))
        case .join: state.setLink(place, to: .one(nil))
        }
    }

    func related(to model: any PersistentModel, at index: Int) -> (any PersistentModel)? {
        let state = model._$state
        guard let binding = state.binding, let place = binding.linkIndex(at: index), let key = reference(of: state, link: place) else { return nil }
        return self.model(at: key, table: binding.links[place].table, of: schema.binding(named: binding.links[place].link.relationship.destination))
    }

    // MARK: To-many

    func members(of model: any PersistentModel, at index: Int) -> [any PersistentModel] {
        let state = model._$state
        guard let binding = state.binding, let place = binding.linkIndex(at: index) else { return [] }
        let table = binding.links[place].table
        var loaded: [any PersistentModel] = []
        let keys = memberKeys(of: state, link: place, keeping: &loaded)
        if loaded.isEmpty { loaded = bring(keys, table: table) }
        return keys.compactMap { key in
            guard let model = registered(key, table: table), model._$state.phase != .deleted else { return nil }
            return model
        }
    }

    func memberKeys(of state: _ModelState, link place: Int) -> [Int64] {
        var loaded: [any PersistentModel] = []
        return memberKeys(of: state, link: place, keeping: &loaded)
    }

    /// - Parameter loaded: the models that were made for it; nobody else holds them yet.
    private func memberKeys(of state: _ModelState, link place: Int, keeping loaded: inout [any PersistentModel]) -> [Int64] {
        if case .many(let keys) = state.link(place) { return keys }
        guard let binding = state.binding, state.key > 0 else { return [] }
        let link = binding.links[place]
        if binding.store.custom != nil {
            if let model = state.model { load(model) }
            guard case .many(let keys) = state.link(place) else { return [] }
            return keys
        }
        loaded = attempting { try storedMembers(of: state.key, link: link, binding: binding) } ?? []
        for model in loaded { remember(model) }
        let keys = withUnsavedMembers(loaded.map { $0._$state.key }, of: state.key, link: link)
        state.setLink(place, to: .many(keys))
        return keys
    }

    private func storedMembers(of key: Int64, link: LinkBinding, binding: EntityBinding) throws -> [any PersistentModel] {
        guard let destination = schema.anyBinding(ofTable: link.table) else { return [] }
        let tables = binding.store.layout.tables
        let position = link.link.positionColumn
        switch link.link.place {
        case .own: return []
        case .inverse(let table, let column):
            let order = position.map { "t.\(tables[table].columns[$0].sql), " } ?? ""
            return try rows(of: destination, where: "t.\(tables[table].columns[column].sql) = ?", [.integer(key)], order: "\(order)t._pk")
        case .join(let table, let own, let other):
            let pairs = tables[table]
            let order = position.map { "p.\(pairs.columns[$0].sql), " } ?? ""
            return try rows(
                of: destination, joining: "JOIN \(pairs.sql) AS p ON p.\(pairs.columns[other].sql) = t._pk",
                where: "p.\(pairs.columns[own].sql) = ?", [.integer(key)], order: "\(order)p._pk")
        }
    }

    /// What the store says, corrected by what this context has not saved.
    private func withUnsavedMembers(_ stored: [Int64], of owner: Int64, link: LinkBinding) -> [Int64] {
        guard let inverse = link.inverse else { return stored }
        var keys = stored
        for model in changed.models + inserted.models {
            let state = model._$state
            guard state.binding?.tableID == link.table,
                let place = state.binding?.links.firstIndex(where: { $0.link.relationship.name == inverse }),
                let isMember = isRelated(state, over: place, to: owner)
            else { continue }
            let isThere = keys.contains(state.key)
            if isMember, !isThere { keys.append(state.key) }
            if !isMember, isThere { keys.removeAll { $0 == state.key } }
        }
        return keys
    }

    /// What an edited model says itself; nil where it says nothing that the store does not know.
    private func isRelated(_ state: _ModelState, over place: Int, to owner: Int64) -> Bool? {
        switch state.link(place) {
        case .unloaded: nil
        case .one(let target): target == owner
        case .many(let members):
            state.key < 0 || state.isChanged(state.binding?.links[place].property ?? 0) ? members.contains(owner) : nil
        }
    }

    /// Loads the rows among `keys` that nobody has, in few statements; the result keeps them alive.
    private func bring(_ keys: [Int64], table: Int) -> [any PersistentModel] {
        let missing = keys.filter { $0 > 0 && registered($0, table: table) == nil }
        guard !missing.isEmpty, let binding = schema.anyBinding(ofTable: table) else { return [] }
        if let rows = binding.store.custom {
            let found = attempting { try self.models(of: missing, table: binding, from: rows) } ?? []
            for model in found { remember(model) }
            return found
        }
        var models: [any PersistentModel] = []
        for start in stride(from: 0, to: missing.count, by: 500) {
            let part = missing[start..<min(start + 500, missing.count)]
            models += attempting {
                try rows(of: binding, where: "t._pk IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer))
            } ?? []
        }
        for model in models { remember(model) }
        return models
    }

    // MARK: Rows

    /// Models for rows of the binding's table, whatever their class in it.
    func rows(
        of binding: EntityBinding, joining join: String = "", where condition: String, _ values: [SQLiteValue], order: String = ""
    ) throws -> [any PersistentModel] {
        let sql = binding.store.selections[binding.entity.table].statement(joining: join, where: condition, order: order)
        return try binding.store.read { connection in
            let materializer = RowMaterializer(self, store: binding.store, table: binding.entity.table)
            var models: [any PersistentModel] = []
            try connection.forEachRow(sql, values) { statement in
                if let model = materializer.model(from: statement) { models.append(model) }
            }
            return models
        }
    }

    private func first(_ models: @autoclosure () throws -> [any PersistentModel]) -> (any PersistentModel)? {
        attempting { try models() }?.first
    }

    /// Reading a property cannot throw: what goes wrong is thrown by the next save.
    private func attempting<Result>(_ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            note(.reading(because: error))
            return nil
        }
    }
}
