// Partners that are read with a fetch live as long as one of the models that they were read for: their number has no bound that could be
// kept aside.
//
// No circle may come of it, or nothing in it would ever go. Hence: a model that is read as a partner lets go of the partners that were
// read for it before, and a model of the result is never among the partners that the result keeps. The youngest group of a would-be
// circle then has a partner that keeps nothing, or keeps something younger, which there is not. What a model lets go of is read again
// when it is asked for.

import Foundation
import SluiceSchema
import SluiceSQLite

/// The partners of a fetch's models over one relationship.
final class PrefetchedModels {
    private let models: [any PersistentModel]

    /// Makes `owners` keep `partners`.
    static func keep(_ partners: [any PersistentModel], for owners: [any PersistentModel], at property: Int) {
        let owning = Set(owners.map { ObjectIdentifier($0) })
        let kept = partners.filter { !owning.contains(ObjectIdentifier($0)) }
        for partner in kept { partner._$state.prefetched = [:] }
        let group = PrefetchedModels(kept)
        for owner in owners { owner._$state.prefetched[property] = group }
    }

    private init(_ models: [any PersistentModel]) { self.models = models }
}

extension ContextCore {
    /// Reads the partners of many models in few statements.
    func prefetch(_ property: Int, for models: [any PersistentModel]) throws {
        var byOwner: [Int64: _ModelState] = [:]
        var keys: [Int64] = []
        var sample: (binding: EntityBinding, place: Int)?
        for model in models {
            let state = model._$state
            guard state.key > 0, let binding = state.binding, let place = binding.linkIndex(at: property) else { continue }
            sample = sample ?? (binding, place)
            switch state.link(place) {
            case .unloaded: byOwner[state.key] = state
            case .one(let key): if let key { keys.append(key) }
            case .many(let members): keys += members
            }
        }
        guard let (binding, place) = sample else { return }
        let link = binding.links[place]
        var partners = try loadPartners(keys, link: link)
        if link.isToMany, case .inverse(let table, let column) = link.link.place {
            let columns = binding.store.layout.tables[table].columns
            let order = link.link.positionColumn.map { "t.\(columns[$0].sql), " } ?? ""
            partners += try loadMembers(of: byOwner, link: link, place: place, column: columns[column].sql, order: "\(order)t._pk")
        }
        PrefetchedModels.keep(partners, for: models, at: property)
    }

    private func loadPartners(_ keys: [Int64], link: LinkBinding) throws -> [any PersistentModel] {
        guard let binding = schema.anyBinding(ofTable: link.table) else { return [] }
        let wanted = Set(keys)
        let known = wanted.compactMap { registered($0, table: link.table) }
        let missing = wanted.filter { $0 > 0 && registered($0, table: link.table) == nil }.sorted()
        return try known + missing.inParts(of: 500).flatMap { part in
            try rows(of: binding, where: "t._pk IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer))
        }
    }

    private func loadMembers(
        of owners: [Int64: _ModelState], link: LinkBinding, place: Int, column: String, order: String
    ) throws -> [any PersistentModel] {
        guard let destination = schema.anyBinding(ofTable: link.table), let inverse = link.inverse, !hasChanges else { return [] }
        var all: [any PersistentModel] = []
        for part in owners.keys.sorted().inParts(of: 500) {
            let members = try rows(
                of: destination, where: "t.\(column) IN (\(SQLText.placeholders(part.count)))", part.map(SQLiteValue.integer), order: order)
            all += members
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
        return all
    }
}

extension Array {
    /// The elements in order, in arrays of at most `count`.
    func inParts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
