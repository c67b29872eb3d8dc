// What inserting a saved model does where the model belongs to another context.

extension ContextCore {
    /// The row is here already, so nothing is inserted; what was edited and not saved in the other context is an edit of this context's own
    /// instance from now on. Programs that make a context for each operation rely on it: read here, edit, insert and save there.
    ///
    /// A model of another container has no row here, whatever its key: the next save says so. A row that is gone stays gone.
    func carryEdits(of model: any PersistentModel, from other: ContextCore) {
        let state = model._$state
        guard state.phase == .saved else { return }
        guard other.schema === schema else {
            mistakes.append(.belongsToAnotherContainer(model))
            return
        }
        guard state.hasChanges, let mine = counterpart(of: model, from: other) else { return }
        for index in state.changedIndices { setValue(other.value(of: model, at: index), of: mine, at: index) }
    }
}
