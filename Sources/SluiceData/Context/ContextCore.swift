// The mechanism behind a ModelContext: which models it has, which of them changed, and the stores they come from.
//
// Models hold their core, the core holds models only while they have unsaved changes, and the ModelContext a program holds lets go of those when it
// goes. So a model that outlives its context still reads its values, and nothing leaks. A core and its models are used on one executor at a
// time, the one that owns the ModelContext; nothing here is locked.
//
// What happens where: joining and leaving here, relationships in Relating, rows into models in Loading, fetches in Fetching, saves in Saving.

import Foundation
import SluiceSchema

final class ContextCore {
    let schema: ContainerSchema
    /// What the program holds; nil once it let go.
    weak var context: ModelContext?
    /// By `EntityBinding.tableID`.
    var maps: [IdentityMap]
    var inserted = InsertedModels()
    var changed = PendingModels()
    var deleted = PendingModels()
    /// Mistakes that no signature lets an edit throw; the next save does.
    var mistakes: [SwiftDataError] = []
    var undo: EditRecorder?
    let edits = EditListeners()
    /// Rows of custom stores that came along with the last fetch: by table and number.
    var related: [Int: [Int64: SnapshotRow]] = [:]
    var editingState = EditingState()
    var lookups = KeyLookups()
    private var recent = RecentModels()

    init(_ schema: ContainerSchema) {
        self.schema = schema
        maps = Array(repeating: IdentityMap(), count: schema.tableCount)
    }

    var hasChanges: Bool { !(inserted.isEmpty && changed.isEmpty && deleted.isEmpty) }

    /// Lets go of everything that keeps models alive: their edits are lost, as nobody can save them any more.
    func discard() {
        inserted = InsertedModels()
        changed = PendingModels()
        deleted = PendingModels()
        recent = RecentModels()
        related = [:]
        // What can be undone holds models, and they hold this.
        undo = nil
    }

    // MARK: Joining

    /// Takes a model and everything that it reaches into the context. Models that are in it already stay as they are.
    func insert(_ root: any PersistentModel) {
        if let other = root._$state.core, other !== self { carryEdits(of: root, from: other) }
        if let binding = schema.binding(of: type(of: root)), binding.links.isEmpty {
            _ = admit(root)
            return noteActivity()
        }
        var queue: [any PersistentModel] = [root]
        var relations: [RelationshipAdopter.Relation] = []
        var place = 0
        while place < queue.count {
            let model = queue[place]
            place += 1
            guard admit(model), let binding = model._$state.binding, !binding.links.isEmpty else { continue }
            var adopter = RelationshipAdopter(model: model)
            model._$visit(&adopter)
            relations += adopter.relations
            queue += adopter.relations.flatMap(\.partners)
        }
        for relation in relations { adopt(relation) }
        noteActivity()
    }

    /// Whether the model was new here.
    private func admit(_ model: any PersistentModel) -> Bool {
        let state = model._$state
        if state.core === self {
            if state.phase == .deleted { restore(model) }
            return false
        }
        guard state.core == nil else {
            if state.phase == .inserted { mistakes.append(.belongsToAnotherContext(model)) }
            return false
        }
        guard let binding = schema.binding(of: type(of: model)) else {
            mistakes.append(.unknownModel(type(of: model)))
            return false
        }
        state.join(self, binding: binding, model: model)
        maps[binding.tableID].insert(state, key: state.key)
        inserted.append(model, state)
        undo?.noteInsertion(of: model)
        return true
    }

    private func adopt(_ relation: RelationshipAdopter.Relation) {
        if relation.isToMany {
            relate(relation.model, at: relation.property, toMembers: relation.partners)
        } else {
            relate(relation.model, at: relation.property, to: relation.partners.first)
        }
    }

    // MARK: Leaving

    /// Marks a model for deletion at the next save; one that was never saved just leaves.
    func delete(_ model: any PersistentModel) {
        let state = model._$state
        guard state.core === self else {
            if let other = state.core, state.phase != .inserted, let mine = counterpart(of: model, from: other) { delete(mine) }
            return
        }
        switch state.phase {
        case .inserted:
            undo?.noteDeletion(of: model)
            if let undo { undo.asOne { dismiss(model) } } else { dismiss(model) }
            edits.announce()
        case .saved:
            undo?.noteDeletion(of: model)
            state.phase = .deleted
            deleted.append(model)
            noteActivity()
        case .detached, .deleted, .gone: break
        }
        notifyPartners(of: model)
    }

    /// Takes a model that has no row out of the context. It keeps its values.
    func dismiss(_ model: any PersistentModel) {
        let state = model._$state
        guard let binding = state.binding else { return }
        for (index, link) in binding.links.enumerated() where link.inverse != nil {
            for key in keys(state.link(index)) { unlinkInverse(of: link, from: state, partner: key) }
        }
        inserted.remove(state)
        maps[binding.tableID].remove(state, key: state.key)
        state.leave(.detached)
    }

    /// Takes a deletion back that was not saved.
    func restore(_ model: any PersistentModel) {
        let state = model._$state
        guard state.phase == .deleted else { return }
        state.phase = .saved
        deleted.remove(model)
        if state.hasChanges { changed.append(model) }
        notifyPartners(of: model)
    }

    func keys(_ link: _ModelState.Link) -> [Int64] {
        switch link {
        case .unloaded: []
        case .one(let key): key.map { [$0] } ?? []
        case .many(let keys): keys
        }
    }

    // MARK: Registration

    func register(_ state: _ModelState) {
        if let binding = state.binding { maps[binding.tableID].insert(state, key: state.key) }
    }

    /// Called by a state whose model goes.
    func forget(_ state: _ModelState) {
        if let binding = state.binding { maps[binding.tableID].remove(state, key: state.key) }
    }

    func registered(_ key: Int64, table: Int) -> (any PersistentModel)? { maps[table][key]?.model }

    /// Keeps a model that was loaded on the way for a while, so that reading on does not load it again.
    func remember(_ model: any PersistentModel) { recent.append(model) }

    /// Keeps a mistake for the next save. It throws the first one, so that a few are enough.
    func note(_ mistake: SwiftDataError) {
        if mistakes.count < 16 { mistakes.append(mistake) }
    }

    // MARK: Edits

    func noteFirstChange(_ state: _ModelState) {
        if let model = state.model { changed.append(model) }
    }

    /// Something is to be saved: `mainContext` saves it when it has been quiet for a while.
    func noteActivity() {
        edits.announce()
        context?.noteActivity()
    }

    /// Called before a property gets another value.
    func willChange(_ model: any PersistentModel, at index: Int) { undo?.noteChange(of: model, at: index) }

    /// Drops everything that is not saved.
    func rollback() {
        for model in inserted.models.reversed() { dismiss(model) }
        let edited = changed.models + deleted.models
        changed = PendingModels()
        deleted = PendingModels()
        mistakes = []
        for model in edited {
            let state = model._$state
            state.phase = .saved
            state.clearChanges()
            unload(model)
        }
        for model in edited { notifyAll(model) }
        edits.announce()
    }

    /// Forgets the values of a model; they are read from its row when they are next asked for.
    func unload(_ model: any PersistentModel) {
        var clearing = SlotClearing()
        model._$visit(&clearing)
        model._$state.unloadLinks()
    }
}
