import Foundation
import SluiceSchema

/// What a context has to save into one store.
struct PendingChanges {
    let inserted: [any PersistentModel]
    /// Theirs, in the same order.
    let insertedStates: [_ModelState]
    /// Edited, and not deleted.
    let changed: [any PersistentModel]
    let deleted: [any PersistentModel]
    let deletedKeys: Set<Int64>

    init(_ core: ContextCore, store: OpenStore) {
        let isOnly = core.schema.stores.count == 1
        func mine(_ models: [any PersistentModel]) -> [any PersistentModel] {
            isOnly ? models : models.filter { $0._$state.binding?.store === store }
        }
        let states = core.inserted.states
        insertedStates = isOnly ? states : states.filter { $0.binding?.store === store }
        inserted = mine(core.inserted.models)
        deleted = mine(core.deleted.models)
        changed = mine(core.changed.models).filter { $0._$state.phase == .saved }
        deletedKeys = Set(deleted.map { $0._$state.key })
    }

    /// The deletion of some models alone.
    init(deleting models: [any PersistentModel]) {
        inserted = []
        insertedStates = []
        changed = []
        deleted = models
        deletedKeys = Set(models.map { $0._$state.key })
    }

    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

    /// - Throws: `SwiftDataError.modelValidationFailure` naming the first model and property that may not be saved.
    func validate() throws {
        for state in insertedStates { try validate(state, all: true) }
        for model in changed { try validate(model._$state, all: false) }
    }

    private func validate(_ state: _ModelState, all: Bool) throws {
        guard let binding = state.binding, !binding.links.isEmpty else { return }
        for (place, link) in binding.links.enumerated() where all || state.isChanged(link.property) {
            let relationship = link.link.relationship
            switch state.link(place) {
            case .one(nil) where !relationship.isOptional:
                throw SwiftDataError.missingReference(relationship.name, of: binding.entity.name)
            case .many(let members):
                if relationship.minimumCount > 0, members.count < relationship.minimumCount {
                    throw SwiftDataError.memberCount(members.count, of: relationship, entity: binding.entity.name)
                }
                if relationship.maximumCount > 0, members.count > relationship.maximumCount {
                    throw SwiftDataError.memberCount(members.count, of: relationship, entity: binding.entity.name)
                }
            default: continue
            }
        }
    }
}
