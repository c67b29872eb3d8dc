// Keeps the current local store in step with the synced one. For each generation, in this order:
//
// 1. one transaction in the local store: rows, generation, position in the synced store's log
// 2. the pointer, where it says something new; its replacement is what helpers are woken by
// 3. the position, registered in the synced store as this container's cursor: its log is kept from there on
//
// The next update goes on from where 3 and 1 agree. Where they do not (a crash in between, a synced store restored from an older copy, a
// log that was pruned past us) and where the projections or the schema changed, a new numbered store is built and the pointer moved.
// The same happens when readers keep the log from being emptied, or hold the write lock: nobody can stop a generation.

package import FoundationEssentials
package import SluiceReader
import SluiceSQLite
package import SluiceSchema
package import SluiceStore

/// Fills one group container from one synced store. Synchronous: it is used on the account's executor, with the account's store.
package final class LocalStoreWriter {
    package let directory: GroupDirectory
    /// The schema of the local store.
    package let schema: Schema
    /// For status: the last log that readers blocked, until its store is gone or its log is empty.
    package private(set) var blockedCheckpoint: BlockedCheckpoint?
    /// Old stores that helpers still hold.
    package private(set) var retiredStores: [LocalStoreFile] = []

    let projector: Projector
    /// Milliseconds by entity, where rules say so.
    private let freshness: [String: Int64]
    private let projection: String
    /// The cursor's name in the synced store.
    private let consumer: String
    private let options: Options
    private(set) var current: LocalStore?
    var unneeded = UnneededFiles()
    private var pointer: ContainerPointer

    /// - Parameter privateStoreSchema: the schema of the synced store that `update` will be given.
    package init(
        group directory: GroupDirectory, projections: [Projection], privateStoreSchema: Schema, options: Options = Options()
    ) throws {
        let projected = try ProjectedSchema(of: privateStoreSchema, by: projections)
        projector = try Projector(projections, projected: projected, from: StoredSchema(privateStoreSchema))
        schema = projected.schema
        projection = ([Projector.version, "version \(schema.version)"] + projections.map(\.description).sorted()).joined(separator: "\n")
        freshness = Dictionary(
            projections.compactMap { rule in rule.freshness.map { (rule.entity, Int64($0 / .milliseconds(1))) } },
            uniquingKeysWith: { first, _ in first })
        consumer = "projection \(directory.path)"
        self.directory = directory
        self.options = options
        let pointer = directory.pointer() ?? ContainerPointer(file: nil, state: .preparing)
        self.pointer = pointer
        retiredStores = try directory.localStores().filter { $0 != pointer.file }
    }

    /// Brings the local store to the state of `store`.
    /// - Parameter lastSync: when the last sync succeeded; nil leaves what is known.
    @discardableResult
    package func update(from store: Store, lastSync: Date? = nil) throws -> Generation {
        if !retiredStores.isEmpty { try sweep() }
        switch try step(from: store, lastSync: lastSync) {
        case .advanced(let generation): return generation
        case .rebuild(let reason): return try rebuild(from: store, lastSync: lastSync, because: reason)
        }
    }

    /// Builds a new numbered store and moves the pointer to it.
    @discardableResult
    package func rebuild(from store: Store, lastSync: Date? = nil) throws -> Generation {
        try rebuild(from: store, lastSync: lastSync, because: .asked)
    }

    private func rebuild(from store: Store, lastSync: Date?, because reason: RebuildReason) throws -> Generation {
        // After a crash the store may be ahead of the pointer; where it cannot be read, the pointer's hint is all there is.
        let known = lastSync ?? pointer.lastSync
        let number = max(pointer.generation, (try? current?.generation) ?? 0) + 1
        let build = LocalStoreBuild(
            directory: directory, schema: schema, projector: projector, projection: projection, options: options)
        let built = try build.run(generation: number, from: store, lastSync: known, after: pointer.file)
        // Closes the old store first: a connection of ours would keep it from being removed.
        current = nil
        current = built.local
        try tellFreshness(built.local)
        try move(pointerTo: built.local, generation: number, lastSync: built.local.lastSync)
        try store.setCursor(consumer, at: built.position)
        try sweep()
        return Generation(number: number, file: built.local.file, isNew: true, rebuild: reason)
    }

    /// Shared defaults as helpers read them.
    package var sharedValues: [String: SharedValue] { pointer.values }

    /// Lets helpers read these shared defaults from now on.
    package func show(_ values: [String: SharedValue]) throws {
        var next = pointer
        next.values = values
        try replacePointer(with: next)
    }

    /// What helpers read; nil before the first store was built or opened.
    package var shown: (file: LocalStoreFile, number: Int64)? { current.map { ($0.file, pointer.generation) } }

    /// Rows that helpers can see, by entity.
    package func rowCounts() throws -> [String: Int] {
        guard let store = current?.store else { return [:] }
        return try Dictionary(
            uniqueKeysWithValues: store.layout.sortedEntities.filter { !$0.isAbstract && !$0.isJoin }.map { ($0.name, try store.exactCount(of: $0)) })
    }

    /// Removes old stores whose last reader has gone. To be called now and then while `retiredStores` is not empty.
    package func sweep() throws {
        retiredStores = try RetiredStores(directory: directory, countMax: options.retiredStoreCountMax).sweep(besides: pointer.file)
        if let blocked = blockedCheckpoint, blocked.file != pointer.file, !retiredStores.contains(blocked.file) { blockedCheckpoint = nil }
    }

    /// Empties the log and closes the store; helpers go on reading it.
    package func close() throws {
        if let current, try current.emptyLog(patience: options.checkpointPatience, usual: options.busyTimeout) { blockedCheckpoint = nil }
        current = nil
    }

    // MARK: Going on

    private enum Step {
        case advanced(Generation)
        case rebuild(RebuildReason)
    }

    private func step(from store: Store, lastSync: Date?) throws -> Step {
        guard let local = try openCurrent() else { return .rebuild(.noStore) }
        do {
            guard try local.isFilled(by: projection) else { return .rebuild(.otherProjection) }
            // The cursor is registered after the local store has committed; anything else means that one of them is an older copy.
            guard try local.isFilled(from: store.identifier), let position = try local.position,
                try store.cursor(consumer) == position, try store.lastChange() >= position
            else { return .rebuild(.outOfStep) }
            return try advance(local, at: position, from: store, lastSync: lastSync)
        } catch let error as SQLiteError where error.path == local.path {
            guard let reason = error.rebuildReason else { throw error }
            if reason == .heldByReaders { noteBlock(of: local) }
            return .rebuild(reason)
        }
    }

    /// The store that the pointer names; nil where it cannot be used.
    private func openCurrent() throws -> LocalStore? {
        if let current { return current }
        guard let file = pointer.file, try directory.localStores().contains(file) else { return nil }
        do {
            current = try LocalStore(file, in: directory, schema: schema, busyTimeout: options.busyTimeout)
            try current.map(tellFreshness)
        } catch is StoreError {
            // Another schema, a newer format or no store at all: everything in it can be made again.
            return nil
        } catch let error as SQLiteError where error.rebuildReason != nil {
            return nil
        }
        return current
    }

    /// A limit on age changes no row, so a store that is there gets it without being built anew.
    private func tellFreshness(_ local: LocalStore) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = freshness.isEmpty ? nil : String(decoding: try encoder.encode(freshness), as: UTF8.self)
        if try local.freshness != text { try local.store.write { try local.set(freshness: text) } }
    }

    private func advance(_ local: LocalStore, at position: Int64, from store: Store, lastSync: Date?) throws -> Step {
        var last = position
        var isNew = false
        let isApplied = try store.read {
            last = try store.lastChange()
            guard let changed = try store.changedRows(after: position, limit: options.changedRowCountMax) else { return false }
            isNew = try commit(changed, to: local, from: store, position: last, lastSync: lastSync)
            return true
        }
        guard isApplied else { return .rebuild(.tooManyChanges) }
        let number = try local.generation
        try move(pointerTo: local, generation: number, lastSync: local.lastSync)
        if last != position { try store.setCursor(consumer, at: last) }
        guard try hasShortLog(local) else { return .rebuild(.heldByReaders) }
        return .advanced(Generation(number: number, file: local.file, isNew: isNew, rebuild: nil))
    }

    /// One transaction of the local store. Returns whether rows changed.
    private func commit(
        _ changed: [RowKey: ChangedRow], to local: LocalStore, from store: Store, position: Int64, lastSync: Date?
    ) throws -> Bool {
        let isSynced = try lastSync != nil && lastSync != local.lastSync
        guard try !changed.isEmpty || isSynced || local.position != position else { return false }
        return try local.store.write {
            let isNew = try projector.advance(local.store, from: store, changed: changed)
            if isNew { try local.set(generation: local.generation + 1) }
            if isSynced { try local.set(lastSync: lastSync) }
            try local.set(position: position)
            return isNew
        }
    }

    /// False where the log is over its bound and readers keep it there.
    private func hasShortLog(_ local: LocalStore) throws -> Bool {
        guard local.logByteCount > options.logByteCountMax else { return true }
        if try local.emptyLog(patience: options.checkpointPatience, usual: options.busyTimeout) { return true }
        noteBlock(of: local)
        return false
    }

    private func noteBlock(of local: LocalStore) {
        blockedCheckpoint = BlockedCheckpoint(
            file: local.file, logByteCount: local.logByteCount, processes: LockHolders.processes(locking: local.path))
    }

    // MARK: The pointer

    private func move(pointerTo local: LocalStore, generation: Int64, lastSync: Date?) throws {
        var next = pointer
        next.file = local.file
        next.schemaVersion = schema.version.description
        next.generation = generation
        next.lastSync = lastSync
        next.freshness = freshness
        // Whatever was announced is over: the store that is named now is of the present schema.
        next.state = .current
        try replacePointer(with: next)
    }

    private func replacePointer(with next: ContainerPointer) throws {
        guard next != pointer else { return }
        try directory.write(next)
        pointer = next
    }
}
