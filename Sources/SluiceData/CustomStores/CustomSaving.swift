// Saves into a custom store: rules and checks here, then one call of the store, then the context's own books, as for any store.

import Foundation

extension ContextCore {
    /// - Throws: what the store throws. Then nothing here has changed.
    func save(_ pending: PendingChanges, into store: OpenStore, _ rows: any CustomRows, summary: inout SaveSummary) throws {
        for model in pending.inserted + pending.changed { try checkValues(of: model) }
        let deletion = try CustomDeletion(of: pending.deleted, in: self)
        let unchanged = deletion.released.filter { $0._$state.phase == .saved && !$0._$state.hasChanges }
        let outcome = try rows.save(
            CustomChanges(
                inserted: pending.inserted.filter { !deletion.doomed.contains($0._$state) },
                updated: pending.changed.filter { !deletion.doomed.contains($0._$state) } + unchanged, deleted: deletion.models,
                doomed: deletion.doomed),
            for: editingState)
        let keys = RowKeys(for: pending.inserted.map { $0._$state.key })
        for model in pending.inserted { giveKey(to: model, outcome, keys) }
        for row in deletion.doomed.rows { keys.delete(row.key, table: row.table) }
        related = [:]
        let generation = store.noteCustomCommit(editor: editingState.id)
        settle(pending, SaveOperation.Outcome(keys: keys, deleted: deletion.doomed.rows), summary: &summary, generation: generation)
        for row in outcome.rows { _ = materialize(row) }
        if let token = outcome.token { summary.tokens[store.identifier] = token }
    }

    /// A store that does not say what it calls a row keeps it under the identifier that it was given.
    private func giveKey(to model: any PersistentModel, _ outcome: CustomOutcome, _ keys: RowKeys) {
        let state = model._$state
        guard let binding = state.binding, let custom = binding.store.custom else { return }
        let temporary = binding.identifier(of: state.key)
        keys.give(custom.keys.number(of: (outcome.remapped[temporary] ?? temporary).key), to: state.key)
    }

    /// - Throws: what a transformer or a value says that cannot be turned into bytes.
    private func checkValues(of model: any PersistentModel) throws {
        guard let binding = model._$state.binding, binding.shape.properties.contains(where: \.mayBeRefused) else { return }
        var slots = SlotCollecting(binding)
        model._$visit(&slots)
        if let failure = slots.failure { throw failure }
    }

    // MARK: Many rows at once

    func deleteAll<Model: PersistentModel>(
        _ type: Model.Type, where predicate: Predicate<Model>?, includingSubclasses: Bool, in store: OpenStore, _ rows: any CustomRows
    ) throws {
        var descriptor = FetchDescriptor<Model>(predicate: predicate)
        descriptor.includePendingChanges = false
        let matches = try fetch(descriptor, from: rows).filter { includingSubclasses || Swift.type(of: $0) == type }
        let deletion = try CustomDeletion(of: matches, in: self)
        // A store that deletes by itself knows no rules: it is used where only the matches themselves are concerned.
        if deletion.models.count == matches.count, deletion.released.isEmpty,
            try rows.delete(type, where: predicate, includingSubclasses: includingSubclasses, for: editingState)
        {
            store.noteCustomCommit(editor: editingState.id)
            settleDeletions(deletion.doomed.rows)
            return
        }
        var summary = SaveSummary()
        try save(PendingChanges(deleting: matches), into: store, rows, summary: &summary)
    }
}

extension ModelProperty {
    /// Whether some values of its type have no stored form.
    fileprivate var mayBeRefused: Bool {
        if case .transformable? = attributeKind { return true }
        return valueType is AnyClass
    }
}

extension OpenStore {
    /// A custom store was written by a context of this process.
    /// - Returns: the generation that begins with it.
    @discardableResult
    func noteCustomCommit(editor: UUID?) -> UInt64 {
        let generation = nextGeneration()
        changes.announce(StoreCommit(position: nil, editor: editor))
        return generation
    }
}
