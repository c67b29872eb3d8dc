// Relationships of models in one context. Setting one end sets the other: whoever looks at either sees the same.
//
// A to-many that is not loaded is not loaded for the sake of its inverse; when it is, Loading puts the context's unsaved members in.

import Foundation
import SluiceSchema

extension ContextCore {
    // MARK: To-one

    func relate(_ model: any PersistentModel, at index: Int, to partner: (any PersistentModel)?) {
        let state = model._$state
        guard let binding = state.binding, let place = binding.linkIndex(at: index) else { return }
        let target = partner.flatMap { admitted($0) }
        willChange(model, at: index)
        let link = binding.links[place]
        let old = reference(of: state, link: place)
        let new = target?._$state.key
        if let old, undo != nil, hasOrderedInverse(link) { loadOrder(link, of: old) }
        state.setLink(place, to: .one(new))
        state.noteChange(index)
        guard old != new, link.inverse != nil else { return }
        if let old { unlinkInverse(of: link, from: state, partner: old) }
        if let target { linkInverse(of: link, from: state, partner: target) }
    }

    // MARK: To-many

    func relate(_ model: any PersistentModel, at index: Int, toMembers partners: [any PersistentModel]) {
        let state = model._$state
        guard let binding = state.binding, let place = binding.linkIndex(at: index) else { return }
        let targets = partners.compactMap { admitted($0) }
        willChange(model, at: index)
        let link = binding.links[place]
        let old = memberKeys(of: state, link: place)
        var seen = Set<Int64>(minimumCapacity: targets.count)
        let members = targets.filter { seen.insert($0._$state.key).inserted }
        state.setLink(place, to: .many(members.map { $0._$state.key }))
        state.noteChange(index)
        guard link.inverse != nil else { return }
        let before = Set(old)
        for key in old where !seen.contains(key) { unlinkInverse(of: link, from: state, partner: key) }
        for member in members where !before.contains(member._$state.key) { linkInverse(of: link, from: state, partner: member) }
    }

    /// The partner as this context has it: itself, or the instance of its row here where it belongs to another context.
    private func admitted(_ partner: any PersistentModel) -> (any PersistentModel)? {
        let state = partner._$state
        if state.core == nil { insert(partner) }
        if state.core === self { return partner }
        guard let other = state.core else { return nil }
        if let mine = counterpart(of: partner, from: other) { return mine }
        mistakes.append(.belongsToAnotherContext(partner))
        return nil
    }

    /// This context's instance of a row that another context has.
    func counterpart(of model: any PersistentModel, from other: ContextCore) -> (any PersistentModel)? {
        let state = model._$state
        guard other.schema === schema, state.key > 0, let binding = state.binding else { return nil }
        return self.model(at: state.key, table: binding.tableID, of: binding)
    }

    // MARK: The other end

    /// Tells the former partner that it is related no more.
    func unlinkInverse(of link: LinkBinding, from state: _ModelState, partner key: Int64) {
        guard let model = partnerToEdit(link, key: key), let place = inversePlace(of: link, on: model) else { return }
        let partner = model._$state
        let property = partner.binding?.links[place].property ?? 0
        willChangeOtherEnd(model, at: place)
        if link.inverseIsToMany {
            guard partner.editMembers(of: place, { $0.removeAll { $0 == state.key } }) else { return }
        } else {
            guard reference(of: partner, link: place) == state.key else { return }
            partner.setLink(place, to: .one(nil))
        }
        partner.noteChange(property)
        notify(model, at: property)
    }

    /// Tells the new partner, and takes it from whoever had it where it can have one only.
    private func linkInverse(of link: LinkBinding, from state: _ModelState, partner model: any PersistentModel) {
        guard let place = inversePlace(of: link, on: model) else { return }
        let partner = model._$state
        let property = partner.binding?.links[place].property ?? 0
        if link.inverseIsToMany {
            if link.isToMany || isCustom(link.table) { _ = memberKeys(of: partner, link: place) }
            let mayBeThere = link.isToMany
            guard partner.editMembers(of: place, { if !mayBeThere || !$0.contains(state.key) { $0.append(state.key) } }) else { return }
        } else {
            willChangeOtherEnd(model, at: place)
            if let former = reference(of: partner, link: place), former != state.key { release(former, link: link, partner: partner) }
            partner.setLink(place, to: .one(state.key))
        }
        partner.noteChange(property)
        notify(model, at: property)
    }

    /// The model that had the partner before loses it.
    private func release(_ former: Int64, link: LinkBinding, partner: _ModelState) {
        let name = link.link.relationship.name
        guard let binding = partner.binding, let inverse = inversePlace(of: link, on: partner),
            let model = model(at: former, table: binding.links[inverse].table, of: nil),
            let owner = model._$state.binding, let place = owner.links.firstIndex(where: { $0.link.relationship.name == name })
        else { return }
        let state = model._$state
        willChangeOtherEnd(model, at: place)
        if link.isToMany {
            guard state.editMembers(of: place, { $0.removeAll { $0 == partner.key } }) else { return }
        } else {
            state.setLink(place, to: .one(nil))
        }
        state.noteChange(owner.links[place].property)
        notify(model, at: owner.links[place].property)
    }

    /// A partner that nobody looks at needs no telling, unless its own row says what it is related to.
    private func partnerToEdit(_ link: LinkBinding, key: Int64) -> (any PersistentModel)? {
        if let model = registered(key, table: link.table) { return model }
        let isRemembered = undo != nil && hasOrderedInverse(link)
        guard !link.inverseIsToMany || isRemembered || isCustom(link.table) else { return nil }
        return model(at: key, table: link.table, of: nil)
    }

    /// Loads the members of an owner while they still have the one that leaves: its place among them is what undo has to know.
    private func loadOrder(_ link: LinkBinding, of owner: Int64) {
        guard let model = model(at: owner, table: link.table, of: nil), let place = inversePlace(of: link, on: model) else { return }
        _ = memberKeys(of: model._$state, link: place)
    }

    /// Whether the other end keeps an order, which is lost with the member unless somebody remembers it.
    private func hasOrderedInverse(_ link: LinkBinding) -> Bool {
        guard let inverse = link.inverse, link.inverseIsToMany else { return false }
        return schema.anyBinding(ofTable: link.table)?.links.contains { $0.link.relationship.name == inverse && $0.isOrdered } ?? false
    }

    /// Rows of a custom store say their members themselves.
    private func isCustom(_ table: Int) -> Bool { schema.anyBinding(ofTable: table)?.store.custom != nil }

    private func inversePlace(of link: LinkBinding, on model: any PersistentModel) -> Int? { inversePlace(of: link, on: model._$state) }

    private func inversePlace(of link: LinkBinding, on state: _ModelState) -> Int? {
        guard let inverse = link.inverse else { return nil }
        return state.binding?.links.firstIndex { $0.link.relationship.name == inverse }
    }
}
