import FoundationEssentials
import SluiceReader
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// Builds one numbered local store from nothing. Helpers do not see it before the pointer names it.
struct LocalStoreBuild {
    let directory: GroupDirectory
    let schema: Schema
    let projector: Projector
    /// Schema version and projections as text, to be found in the store later.
    let projection: String
    let options: LocalStoreWriter.Options

    /// - Parameter named: the file that the pointer names. It may be gone; its number is not given again.
    /// - Returns: the store, and the position in the synced store's log that it shows.
    func run(
        generation: Int64, from store: Store, lastSync: Date?, after named: LocalStoreFile?
    ) throws -> (local: LocalStore, position: Int64) {
        let taken = try directory.localStores() + (named.map { [$0] } ?? [])
        let file = LocalStoreFile(number: (taken.map(\.number).max() ?? 0) + 1)
        try directory.makeStoreFile(file)
        do {
            let local = try LocalStore(file, in: directory, schema: schema, busyTimeout: options.busyTimeout)
            let position = try store.read { try fill(local, generation: generation, from: store, lastSync: lastSync) }
            // Nobody reads it yet, so nobody can block this. It puts the rows on disk in the store itself.
            _ = try local.emptyLog(patience: options.checkpointPatience, usual: options.busyTimeout)
            try directory.synchronize()
            return (local, position)
        } catch {
            // A half-filled store that nothing names would only take room until the next sweep.
            try directory.removeStoreFiles(file)
            throw error
        }
    }

    /// One transaction. Returns the position in the log that it shows.
    private func fill(_ local: LocalStore, generation: Int64, from store: Store, lastSync: Date?) throws -> Int64 {
        let position = try store.lastChange()
        try local.store.write {
            try projector.fill(local.store, from: store)
            try local.set(source: store.identifier, projection: projection)
            try local.set(generation: generation)
            try local.set(lastSync: lastSync)
            try local.set(position: position)
        }
        return position
    }
}

extension SQLiteError {
    /// Why a new local store helps; nil where the fault lies below (a full disk, a failing one), where a new one would fail as well.
    var rebuildReason: LocalStoreWriter.RebuildReason? {
        switch code {
        case .busy, .locked: .heldByReaders
        case .corrupt, .notADatabase, .constraint, .error: .damaged
        default: nil
        }
    }
}
