import Foundation
import SluiceSchema
import SluiceSQLite

extension ContextCore {
    /// Reads the partners of many models in few statements.
    func prefetch(_ property: Int, for models: [any PersistentModel]) throws {
        var byOwner: [Int64: _ModelState] = [:]
        var references: [Int64] = []
        var sample: (binding: EntityBinding, place: Int)?
        for model in models {
            let state = model._$state
            guard state.key > 0, let binding = state.binding, let place = binding.linkIndex(at: property) else { continue }
            sample = sample ?? (binding, place)
            switch state.link(place) {
            case .unloaded: byOwner[state.key] = state
            case .one(let key): if let key { references.append(key) }
            case .many: continue
            }
        }
        guard let (binding, place) = sample else { return }
        let link = binding.links[place]
        try keepAlive(loadReferences(references, link: link))
        guard link.isToMany, case .inverse(let table, let column) = link.link.place else { return }
        let name = binding.store.layout.tables[table].columns[column].sql
        try loadMembers(of: byOwner, link: link, place: place, column: name)
    }

    private func loadReferences(_ keys: [Int64], link: LinkBinding) throws -> [any PersistentModel] {
        guard let binding = schema.anyBinding(ofTable: link.table) else { return [] }
        let missing = Set(keys).filter { registered($0, table: link.table) == nil }.sorted()
        return try missing.inParts(of: 500).flatMap { part in
            try rows(of: binding, where: "t._pk IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer))
        }
    }

    private func loadMembers(of owners: [Int64: _ModelState], link: LinkBinding, place: Int, column: String) throws {
        guard let destination = schema.anyBinding(ofTable: link.table), let inverse = link.inverse, !hasChanges else { return }
        for part in owners.keys.sorted().inParts(of: 500) {
            let members = try rows(
                of: destination, where: "t.\(column) IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer), order: "t._pk")
            keepAlive(members)
            guard !link.isOrdered else { continue }
            var found: [Int64: [Int64]] = [:]
            for member in members {
                let state = member._$state
                guard let back = state.binding?.links.firstIndex(where: { $0.link.relationship.name == inverse }),
                    case .one(let owner?) = state.link(back)
                else { continue }
                found[owner, default: []].append(state.key)
            }
            for key in part { owners[key]?.setLink(place, to: .many(found[key] ?? [])) }
        }
    }

    private func keepAlive(_ models: [any PersistentModel]) { for model in models { remember(model) } }
}

extension Array {
    /// The elements in order, in arrays of at most `count`.
    func inParts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
