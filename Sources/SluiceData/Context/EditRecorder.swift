// Undo. Before an edit the recorder registers how to take it back; taking it back is an edit like any other, so redoing comes by itself.
// An edit of one end of a relationship edits the other end too. That is registered where putting the one end back does not put back the
// other: where the other end is a to-one that pointed elsewhere before, and where it keeps an order.

/// Registers the edits of one context with its undo manager.
final class EditRecorder {
    private let manager: UndoManager
    private unowned let core: ContextCore
    /// Above 0 while the edits are part of one that is registered as a whole.
    private var pauses = 0

    init(_ manager: UndoManager, core: ContextCore) {
        self.manager = manager
        self.core = core
    }

    /// What comes next is undone apart from what came before.
    func endEvent() { manager.endEvent() }

    /// Makes edits that an edit which is registered already stands for.
    func asOne<Result>(_ edits: () throws -> Result) rethrows -> Result {
        pauses += 1
        defer { pauses -= 1 }
        return try edits()
    }

    private func register(_ undo: @escaping (ContextCore) -> Void) {
        if pauses == 0, manager.isUndoRegistrationEnabled { manager.registerUndo(withTarget: core, handler: undo) }
    }

    func noteInsertion(of model: any PersistentModel) {
        register { core in core.delete(model) }
    }

    func noteDeletion(of model: any PersistentModel) {
        guard pauses == 0, manager.isUndoRegistrationEnabled else { return }
        let graph = DeletedGraph(of: model, in: core)
        register { core in core.restore(graph) }
    }

    func noteRestoration(of graph: DeletedGraph) {
        register { core in core.delete(graph) }
    }

    func noteChange(of model: any PersistentModel, at index: Int) {
        guard pauses == 0, manager.isUndoRegistrationEnabled else { return }
        let old = core.value(of: model, at: index)
        register { core in core.setValue(old, of: model, at: index) }
    }
}

extension ContextCore {
    /// The value of any property as its type has it.
    func value(of model: any PersistentModel, at index: Int) -> Any? {
        guard let binding = model._$state.binding else { return nil }
        if let place = binding.linkIndex(at: index) {
            return binding.links[place].isToMany ? members(of: model, at: index) : related(to: model, at: index)
        }
        var reading = SlotReading(index)
        model._$visit(&reading)
        if reading.value == nil {
            load(model, at: index)
            model._$visit(&reading)
        }
        return reading.value
    }

    func setValue(_ value: Any?, of model: any PersistentModel, at index: Int) {
        let state = model._$state
        guard let binding = state.binding else { return }
        if let place = binding.linkIndex(at: index) {
            // A model whose row is gone is nobody's partner; what brings it back brings its relationships.
            guard state.core === self else { return }
            if binding.links[place].isToMany {
                relate(model, at: index, toMembers: value as? [any PersistentModel] ?? [])
            } else {
                relate(model, at: index, to: value as? any PersistentModel)
            }
        } else {
            willChange(model, at: index)
            var writing = SlotWriting(index, value)
            model._$visit(&writing)
            state.noteChange(index)
        }
        notify(model, at: index)
    }

    /// Called before the other end of a relationship that is edited gets another value.
    func willChangeOtherEnd(_ model: any PersistentModel, at place: Int) {
        guard let undo, let link = model._$state.binding?.links[place], !link.isToMany || link.isOrdered else { return }
        undo.noteChange(of: model, at: link.property)
    }
}
