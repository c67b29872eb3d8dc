// What a deletion takes along, remembered for undo. Until the next save a deleted model only has a mark, and taking that away is all.
// After it the rows are gone, those that delete rules took along too, and the models come back as new ones with the values and partners
// that they had.

import SluiceSchema

/// A model that is being deleted, and what its cascades reach.
struct DeletedGraph {
    private struct Entry {
        let model: any PersistentModel
        /// By property: values of attributes, partners of relationships.
        let values: [Any?]
        /// Where in its owner's ordered members the model stands, by property.
        let positions: [Int: Int]
    }

    /// The model that was deleted itself comes first.
    private var entries: [Entry] = []

    /// Reads everything that is not loaded: after the save there is nothing to read it from.
    init(of root: any PersistentModel, in core: ContextCore) {
        var queue: [any PersistentModel] = [root]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
        var place = 0
        while place < queue.count {
            let model = queue[place]
            place += 1
            guard let binding = model._$state.binding else { continue }
            let values = binding.shape.properties.indices.map { core.value(of: model, at: $0) }
            entries.append(Entry(model: model, values: values, positions: Self.positions(of: model, values, binding, in: core)))
            for link in binding.links where link.link.relationship.deleteRule == .cascade {
                for partner in Self.partners(values[link.property]) where seen.insert(ObjectIdentifier(partner)).inserted {
                    queue.append(partner)
                }
            }
        }
    }

    var root: (any PersistentModel)? { entries.first?.model }
    var models: [any PersistentModel] { entries.map(\.model) }

    private static func partners(_ value: Any?) -> [any PersistentModel] {
        (value as? [any PersistentModel]) ?? (value as? any PersistentModel).map { [$0] } ?? []
    }

    private static func positions(
        of model: any PersistentModel, _ values: [Any?], _ binding: EntityBinding, in core: ContextCore
    ) -> [Int: Int] {
        var positions: [Int: Int] = [:]
        for link in binding.links where !link.isToMany {
            guard let owner = values[link.property] as? any PersistentModel, let members = core.orderedMembers(of: owner, over: link) else {
                continue
            }
            positions[link.property] = members.keys.firstIndex(of: model._$state.key)
        }
        return positions
    }

    /// Gives models that have just joined the context again what they had.
    func refill(_ isBack: (any PersistentModel) -> Bool, in core: ContextCore) {
        let back = entries.filter { isBack($0.model) }
        // Members last: only they know an order.
        for isToMany in [nil, false, true] {
            for entry in back { setValues(of: entry, in: core, isToMany: isToMany) }
        }
        for entry in back { putInPlace(entry, in: core) }
    }

    /// - Parameter isToMany: which relationships; nil for the attributes.
    private func setValues(of entry: Entry, in core: ContextCore, isToMany: Bool?) {
        guard let binding = entry.model._$state.binding else { return }
        for (index, value) in entry.values.enumerated() {
            let link = binding.linkIndex(at: index).map { binding.links[$0] }
            guard link?.isToMany == isToMany else { continue }
            core.setValue(link == nil ? value : core.living(value), of: entry.model, at: index)
        }
    }

    private func putInPlace(_ entry: Entry, in core: ContextCore) {
        guard let binding = entry.model._$state.binding else { return }
        for (property, position) in entry.positions {
            guard let place = binding.linkIndex(at: property), let owner = core.related(to: entry.model, at: property) else { continue }
            core.move(entry.model, to: position, among: owner, over: binding.links[place])
        }
    }
}

extension ContextCore {
    /// Takes a deletion back, saved or not.
    func restore(_ graph: DeletedGraph) {
        undo?.noteRestoration(of: graph)
        let rejoin = {
            var back: Set<ObjectIdentifier> = []
            for model in graph.models {
                switch model._$state.phase {
                case .deleted: self.restore(model)
                case .gone, .detached:
                    self.insert(model)
                    back.insert(ObjectIdentifier(model))
                case .inserted, .saved: continue
                }
            }
            graph.refill({ back.contains(ObjectIdentifier($0)) }, in: self)
        }
        if let undo { undo.asOne(rejoin) } else { rejoin() }
        for model in graph.models { notifyPartners(of: model) }
    }

    /// Makes a deletion again that was taken back.
    func delete(_ graph: DeletedGraph) {
        guard let root = graph.root else { return }
        undo?.noteDeletion(of: root)
        let remove = {
            self.delete(root)
            // Rows are taken along by the save; models that have none are known here only.
            for model in graph.models where model._$state.core === self && model._$state.phase == .inserted { self.delete(model) }
        }
        if let undo { undo.asOne(remove) } else { remove() }
    }

    /// A remembered value without partners that are gone for good.
    fileprivate func living(_ value: Any?) -> Any? {
        if let models = value as? [any PersistentModel] { return models.filter { $0._$state.core === self } }
        if let model = value as? any PersistentModel { return model._$state.core === self ? model : nil }
        return value
    }

    /// The members of a relationship that keeps an order, seen from one of them; nil where the other end keeps none.
    fileprivate func orderedMembers(of owner: any PersistentModel, over link: LinkBinding) -> (place: Int, keys: [Int64])? {
        guard let inverse = link.inverse, link.inverseIsToMany, let binding = owner._$state.binding,
            let place = binding.links.firstIndex(where: { $0.link.relationship.name == inverse }), binding.links[place].isOrdered
        else { return nil }
        return (place, memberKeys(of: owner._$state, link: place))
    }

    fileprivate func move(_ model: any PersistentModel, to position: Int, among owner: any PersistentModel, over link: LinkBinding) {
        guard let (place, _) = orderedMembers(of: owner, over: link), let binding = owner._$state.binding else { return }
        let key = model._$state.key
        let isDone = owner._$state.editMembers(of: place) { keys in
            keys.removeAll { $0 == key }
            keys.insert(key, at: min(position, keys.count))
        }
        guard isDone else { return }
        owner._$state.noteChange(binding.links[place].property)
        notify(owner, at: binding.links[place].property)
    }
}
