// Undo. Before an edit the recorder registers how to take it back; taking it back is an edit like any other, so redoing comes by itself.

/// Registers the edits of one context with its undo manager.
final class EditRecorder {
    private let manager: UndoManager
    private unowned let core: ContextCore

    init(_ manager: UndoManager, core: ContextCore) {
        self.manager = manager
        self.core = core
    }

    func noteInsertion(of model: any PersistentModel) {
        manager.registerUndo(withTarget: core) { core in core.delete(model) }
    }

    func noteDeletion(of model: any PersistentModel) {
        manager.registerUndo(withTarget: core) { core in
            if model._$state.phase == .deleted {
                core.undo?.noteInsertion(of: model)
                core.restore(model)
            } else {
                core.insert(model)
            }
        }
    }

    func noteChange(of model: any PersistentModel, at index: Int) {
        let old = core.value(of: model, at: index)
        manager.registerUndo(withTarget: core) { core in core.setValue(old, of: model, at: index) }
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
}
