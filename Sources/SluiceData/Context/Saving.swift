// A save: checks first, then one transaction per store, then the context's own books. A save that throws has written nothing to that store and changed
// nothing here, so it may be tried again.

import Foundation
import SluiceStore

extension ContextCore {
    /// What one save did, for the notification that follows it.
    struct SaveSummary {
        var inserted: [PersistentIdentifier] = []
        var updated: [PersistentIdentifier] = []
        var deleted: [PersistentIdentifier] = []
        /// For each store that was written, the place of this save in its history.
        var tokens: [String: any HistoryToken] = [:]
    }

    /// Writes everything pending.
    /// - Throws: `SwiftDataError.modelValidationFailure` for a model that may not be saved, and what the store says.
    func save(author: String?) throws -> SaveSummary {
        if let mistake = mistakes.first {
            mistakes = []
            throw mistake
        }
        var summary = SaveSummary()
        for (number, store) in schema.stores.enumerated() {
            let pending = PendingChanges(self, store: store)
            guard !pending.isEmpty else { continue }
            try pending.validate()
            if let rows = store.custom {
                try save(pending, into: store, rows, summary: &summary)
                continue
            }
            let committed = try store.committing(author: author, editor: editingState.id) {
                try SaveOperation(pending, store: $0, tableIDs: schema.tableIDs[number]).run()
            }
            summary.tokens[store.identifier] = committed.position.map { DefaultHistoryToken(store: store.identifier, position: $0) }
            settle(pending, committed.result, summary: &summary, generation: committed.generation)
        }
        return summary
    }

    // MARK: After the commit

    func settle(_ pending: PendingChanges, _ outcome: SaveOperation.Outcome, summary: inout SaveSummary, generation: UInt64) {
        let gone = outcome.deleted
        for state in pending.insertedStates { translateLinks(of: state, outcome.keys) }
        for model in pending.changed { translateLinks(of: model._$state, outcome.keys) }
        summary.inserted.reserveCapacity(summary.inserted.count + pending.insertedStates.count)
        for state in pending.insertedStates {
            settleInsertion(state, outcome.keys, generation: generation)
            if let identifier = state.binding?.identifier(of: state.key) { summary.inserted.append(identifier) }
            inserted.remove(state)
        }
        for model in pending.changed {
            let state = model._$state
            state.clearChanges()
            // Others saved between what this model was read from and this save.
            if state.generation &+ 1 != generation, let binding = state.binding { unloadLateProperties(of: model, binding) }
            state.generation = generation
            if let identifier = identifier(of: model), !pending.deletedKeys.contains(state.key) { summary.updated.append(identifier) }
            changed.remove(model)
        }
        for model in pending.deleted { deleted.remove(model) }
        summary.deleted += settleDeletions(gone)
        // A row that somebody else deleted before is gone all the same.
        for model in pending.deleted where model._$state.phase == .deleted { leave(model) }
    }

    /// Lets models go whose rows went, and returns the identifiers of the rows.
    @discardableResult
    func settleDeletions(_ gone: [(key: Int64, table: Int)]) -> [PersistentIdentifier] {
        let identifiers = gone.compactMap { settleDeletion($0.key, table: $0.table) }
        purgeLinks(to: gone)
        return identifiers
    }

    private func identifier(of model: any PersistentModel) -> PersistentIdentifier? {
        model._$state.binding?.identifier(of: model._$state.key)
    }

    private func settleInsertion(_ state: _ModelState, _ keys: RowKeys, generation: UInt64) {
        guard let binding = state.binding, let row = keys.row(state.key, table: binding.tableID) else { return }
        maps[binding.tableID].remove(state, key: state.key)
        state.key = row
        state.phase = .saved
        state.generation = generation
        state.clearChanges()
        if let other = registered(row, table: binding.tableID) {
            // The row had an instance here already. It has the new values now; this one stays behind as a second view of the row.
            if !other._$state.hasChanges { unload(other) }
            notifyAll(other)
        } else {
            register(state)
        }
    }

    private func translateLinks(of state: _ModelState, _ keys: RowKeys) {
        guard let binding = state.binding, !binding.links.isEmpty else { return }
        for (place, link) in binding.links.enumerated() {
            switch state.link(place) {
            case .unloaded: continue
            case .one(let key): state.setLink(place, to: .one(key.flatMap { keys.row($0, table: link.table) }))
            case .many(let members): state.setLink(place, to: .many(members.compactMap { keys.row($0, table: link.table) }))
            }
        }
    }

    private func settleDeletion(_ key: Int64, table: Int) -> PersistentIdentifier? {
        guard let model = registered(key, table: table) else { return schema.anyBinding(ofTable: table)?.identifier(of: key) }
        let identifier = identifier(of: model)
        changed.remove(model)
        deleted.remove(model)
        leave(model)
        return identifier
    }

    private func leave(_ model: any PersistentModel) {
        let state = model._$state
        if let binding = state.binding { maps[binding.tableID].remove(state, key: state.key) }
        state.leave(.gone)
    }

    /// Rows that went are nobody's partners any more.
    private func purgeLinks(to gone: [(key: Int64, table: Int)]) {
        guard !gone.isEmpty else { return }
        let rows = Dictionary(grouping: gone, by: \.table).mapValues { Set($0.map(\.key)) }
        for binding in schema.bindings where binding.links.contains(where: { rows[$0.table] != nil }) {
            for state in maps[binding.tableID].states where state.binding === binding { purge(state, binding, rows) }
        }
    }

    private func purge(_ state: _ModelState, _ binding: EntityBinding, _ rows: [Int: Set<Int64>]) {
        for (place, link) in binding.links.enumerated() {
            guard let gone = rows[link.table] else { continue }
            switch state.link(place) {
            case .one(let key?) where gone.contains(key): state.setLink(place, to: .one(nil))
            case .many(let members) where members.contains(where: gone.contains):
                state.setLink(place, to: .many(members.filter { !gone.contains($0) }))
            default: continue
            }
            if let model = state.model { notify(model, at: link.property) }
        }
    }
}
