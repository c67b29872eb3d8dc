// Fetches from a custom store. The store is asked as the descriptor says; what it would rather not do is taken out of the question and
// done here. With unsaved changes about, every row of the class is judged in memory: the store cannot know them.

import Foundation

extension ContextCore {
    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, from rows: any CustomRows) throws -> [Model] {
        let binding = try schema.require(Model.self)
        if descriptor.includePendingChanges, hasPendingChanges(in: binding.store) {
            let all = try models(FetchDescriptor<Model>(), from: rows).models
            let pending = inserted.models.compactMap { $0 as? Model }
            let present = all.filter { $0._$state.phase != .deleted } + pending
            let found = try CustomQuestion(descriptor, isFiltered: true, isSorted: true).finish(present)
            try prefetch(descriptor, for: found, from: rows)
            return found
        }
        let (models, question) = try models(descriptor, from: rows)
        let found = try question.finish(models)
        try prefetch(descriptor, for: found, from: rows)
        return found
    }

    /// Reads the models that the found ones relate to, all at once.
    private func prefetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, for found: [Model], from rows: any CustomRows
    ) throws {
        for keyPath in descriptor.relationshipKeyPathsForPrefetching {
            guard let property = ModelShape.of(Model.self).property(for: keyPath)?.index else {
                throw SwiftDataError.unknownProperty(keyPath, of: Model.self)
            }
            var wanted: [Int: [Int64]] = [:]
            for model in found {
                guard let binding = model._$state.binding, let place = binding.linkIndex(at: property) else { continue }
                let table = binding.links[place].table
                wanted[table, default: []] += keys(model._$state.link(place)).filter { $0 > 0 && registered($0, table: table) == nil }
            }
            for (table, keys) in wanted.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
                guard let binding = schema.anyBinding(ofTable: table) else { continue }
                for model in try models(of: Array(Set(keys)), table: binding, from: rows) { remember(model) }
            }
        }
    }

    func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, in rows: any CustomRows) throws -> Int {
        let binding = try schema.require(Model.self)
        if descriptor.includePendingChanges, hasPendingChanges(in: binding.store) { return try fetch(descriptor, from: rows).count }
        do { return try rows.count(descriptor, for: editingState) } catch let error where CustomQuestion<Model>.isDeclined(error) {
            return try fetch(descriptor, from: rows).count
        }
    }

    func keys<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, in rows: any CustomRows
    ) throws -> [(key: Int64, binding: EntityBinding)] {
        let binding = try schema.require(Model.self)
        if !(descriptor.includePendingChanges && hasPendingChanges(in: binding.store)) {
            do {
                return try rows.identifiers(descriptor, for: editingState).compactMap { identifier in
                    guard let own = schema.binding(named: identifier.entityName), own.tableID == binding.tableID else { return nil }
                    return own.customKey(of: identifier).map { ($0, own) }
                }
            } catch let error where CustomQuestion<Model>.isDeclined(error) {}
        }
        return try fetch(descriptor, from: rows).compactMap { model in model._$state.binding.map { (model._$state.key, $0) } }
    }

    private func hasPendingChanges(in store: OpenStore) -> Bool {
        func isThere(_ model: any PersistentModel) -> Bool { model._$state.binding?.store === store }
        return hasChanges && (inserted.contains(where: isThere) || changed.contains(where: isThere) || deleted.contains(where: isThere))
    }

    /// Asks the store, and once more for each part of the question that it declines.
    private func models<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, from rows: any CustomRows
    ) throws -> (models: [Model], question: CustomQuestion<Model>) {
        var question = CustomQuestion(descriptor)
        while true {
            do {
                let answer = try rows.fetch(question.asked, for: editingState)
                note(answer.related)
                return (answer.rows.compactMap { materialize($0) as? Model }, question)
            } catch let error where question.takeOut(error) {}
        }
    }
}

/// A fetch, divided between the store and the context.
struct CustomQuestion<Model: PersistentModel> {
    private let descriptor: FetchDescriptor<Model>
    /// What the context does.
    private var isFiltered: Bool
    private var isSorted: Bool

    init(_ descriptor: FetchDescriptor<Model>, isFiltered: Bool = false, isSorted: Bool = false) {
        self.descriptor = descriptor
        self.isFiltered = isFiltered
        self.isSorted = isSorted
    }

    /// What the store is asked. Limits count matches in order, so that they wait for whoever filters or sorts last.
    var asked: FetchDescriptor<Model> {
        var asked = descriptor
        if isFiltered { asked.predicate = nil }
        if isSorted { asked.sortBy = [] }
        if isFiltered || isSorted { (asked.fetchLimit, asked.fetchOffset) = (nil, nil) }
        return asked
    }

    /// Takes out what the store declined. False for an error of another kind, and for a part that was taken out before.
    mutating func takeOut(_ error: any Error) -> Bool {
        switch error {
        case DataStoreError.preferInMemoryFilter where !isFiltered: isFiltered = true
        case DataStoreError.preferInMemorySort where !isSorted: isSorted = true
        default: return false
        }
        return true
    }

    /// Whether the store would rather have the context do it.
    static func isDeclined(_ error: any Error) -> Bool {
        [.preferInMemoryFilter, .preferInMemorySort, .unsupportedFeature].contains(error as? DataStoreError)
    }

    /// Does what the store did not.
    func finish(_ found: [Model]) throws -> [Model] {
        var models = found
        if isFiltered, let predicate = descriptor.predicate { models = try models.filter { try predicate.evaluate($0) } }
        if isSorted, !descriptor.sortBy.isEmpty { models.sort(by: ModelOrder(descriptor.sortBy).precedes) }
        if isFiltered || isSorted { models = Array(models.dropFirst(descriptor.offset)) }
        // A store that does not look at the limit gives more than was asked for.
        return descriptor.limit.map { Array(models.prefix($0)) } ?? models
    }
}
