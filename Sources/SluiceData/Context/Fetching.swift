// Fetches in the store, with the context's unsaved edits put in where the descriptor wants them.
//
// Rows that this context edited are left out of what the store answers and judged in memory instead, by the same predicate. An unsaved edit of
// another class that the predicate looks at makes the store's answer useless: then every row of the class is judged in memory, slower and right.

import Foundation
import SluiceSchema
import SluiceSQLite

extension ContextCore {
    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        let binding = try schema.require(Model.self)
        if let rows = binding.store.custom { return try fetch(descriptor, from: rows) }
        let statement = try lookups.statement(descriptor, of: binding, in: schema) ?? FetchStatement(descriptor, of: binding, in: schema)
        let models: [Model]
        if descriptor.includePendingChanges, hasChanges, hasPending(in: statement.visited.union([binding.tableID])) {
            models = try fetchWithPending(descriptor, statement)
        } else {
            models = try stored(descriptor, statement, limit: descriptor.limit, offset: descriptor.offset)
        }
        if !descriptor.relationshipKeyPathsForPrefetching.isEmpty { try prefetch(descriptor.relationshipKeyPathsForPrefetching, for: models) }
        return models
    }

    func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        let binding = try schema.require(Model.self)
        if let rows = binding.store.custom { return try count(descriptor, in: rows) }
        let statement = try FetchStatement(descriptor, of: binding, in: schema)
        if descriptor.includePendingChanges, hasChanges, hasPending(in: statement.visited.union([binding.tableID])) {
            return try fetchWithPending(descriptor, statement).count
        }
        let (sql, values) = statement.counting
        let count = try withExtendedLifetime(statement) { try binding.store.read { Int(try $0.integer(sql, values)) } }
        let remaining = max(0, count - descriptor.offset)
        return descriptor.limit.map { min($0, remaining) } ?? remaining
    }

    /// Keys of the matching rows, and of unsaved models where the descriptor wants them.
    func keys<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [(key: Int64, binding: EntityBinding)] {
        let binding = try schema.require(Model.self)
        if let rows = binding.store.custom { return try keys(descriptor, in: rows) }
        let statement = try FetchStatement(descriptor, of: binding, in: schema)
        if descriptor.includePendingChanges, hasChanges, hasPending(in: statement.visited.union([binding.tableID])) {
            return try fetchWithPending(descriptor, statement).compactMap { model in model._$state.binding.map { (model._$state.key, $0) } }
        }
        let isHierarchy = binding.store.layout.table(of: binding.entity).isHierarchy
        let (sql, values) = statement.selecting(isHierarchy ? "t._pk, t._entity" : "t._pk", limit: descriptor.limit, offset: descriptor.offset)
        return try withExtendedLifetime(statement) {
            try binding.store.read { connection in
                try connection.rows(sql, values) { row in
                    let own = isHierarchy ? schema.binding(of: binding.store, table: binding.entity.table, discriminator: row.text(1)) : nil
                    return (row.integer(0), own ?? binding)
                }
            }
        }
    }

    // MARK: The store's answer

    private func stored<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ statement: FetchStatement, limit: Int?, offset: Int
    ) throws -> [Model] {
        let binding = statement.binding
        let partial = descriptor.propertiesToFetch.isEmpty ? nil : try PartialSelection(descriptor, of: binding)
        let (sql, values) = statement.selecting(partial?.columns ?? binding.store.selections[binding.entity.table].early, limit: limit, offset: offset)
        let materializer = RowMaterializer(self, rowsOf: binding, partial: partial)
        return try binding.store.read { connection in
            var models: [Model] = []
            if let limit { models.reserveCapacity(min(limit, 1_000)) }
            // The rows of a table without a hierarchy are of its one class.
            let isExact = binding.type == Model.self && !binding.store.layout.table(of: binding.entity).isHierarchy
            try connection.withStatement(sql, values) { row in
                while try row.step() {
                    guard let model = materializer.model(from: row) else { continue }
                    if isExact { models.append(unsafeDowncast(model, to: Model.self)) } else if let model = model as? Model { models.append(model) }
                }
            }
            return models
        }
    }

    // MARK: Unsaved edits

    func hasPending(in tables: Set<Int>) -> Bool {
        guard hasChanges else { return false }
        func touches(_ model: any PersistentModel) -> Bool { model._$state.binding.map { tables.contains($0.tableID) } ?? false }
        return inserted.contains(where: touches) || deleted.contains(where: touches) || changed.contains(where: touches)
    }

    private func fetchWithPending<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, _ statement: FetchStatement) throws -> [Model] {
        let table = statement.binding.tableID
        let judgesAll = hasPending(in: statement.visited.subtracting([table])) || statement.visited.contains(table)
        var pending: [Model] = []
        var edited: Set<Int64> = []
        for model in changed.models + deleted.models where model._$state.binding?.tableID == table {
            edited.insert(model._$state.key)
            if let model = model as? Model, model._$state.phase == .saved { pending.append(model) }
        }
        pending += inserted.models.compactMap { $0 as? Model }
        var all = descriptor
        if judgesAll { all.predicate = nil }
        all.sortBy = judgesAll ? [] : descriptor.sortBy
        let limit = judgesAll ? nil : descriptor.limit.map { $0 + descriptor.offset + edited.count }
        let base = judgesAll ? try FetchStatement(all, of: statement.binding, in: schema) : statement
        var models = try stored(all, base, limit: limit, offset: 0).filter { !edited.contains($0._$state.key) }
        if judgesAll { models = try models.filter { try matches($0, descriptor.predicate) } }
        let joining = try pending.filter { try matches($0, descriptor.predicate) }
        models += joining
        if !descriptor.sortBy.isEmpty, judgesAll || !joining.isEmpty { models.sort(by: ModelOrder(descriptor.sortBy).precedes) }
        let end = descriptor.limit.map { min(models.count, descriptor.offset + $0) } ?? models.count
        return descriptor.offset < end ? Array(models[descriptor.offset..<end]) : []
    }

    private func matches<Model: PersistentModel>(_ model: Model, _ predicate: Predicate<Model>?) throws -> Bool {
        try predicate.map { try $0.evaluate(model) } ?? true
    }

    // MARK: Prefetching

    private func prefetch<Model: PersistentModel>(_ keyPaths: [PartialKeyPath<Model>], for models: [Model]) throws {
        for keyPath in keyPaths {
            guard let property = ModelShape.of(Model.self).property(for: keyPath)?.index else { throw SwiftDataError.unknownProperty(keyPath, of: Model.self) }
            try prefetch(property, for: models)
        }
    }
}
