// One store file of a container. All writing goes through one connection under one lock, all reading through a pool of connections of their own, so that
// a reader sees committed states only and never waits for a writer. A store in memory has a single connection for both.
//
// A context calls these on whatever thread it is used on; that thread waits. Nothing here is called from Swift's shared pool by us: a ModelActor
// has an executor of its own.

import Foundation
import SluiceReader
import SluiceSchema
import SluiceSQLite
import SluiceStore
import Synchronization

/// An open store: what the contexts of a container share.
final class OpenStore: @unchecked Sendable {
    // Sendable: `store` and `upkeep` are touched under `writing` only, `readers` under its own lock, the rest never changes.

    /// Of a custom store, only its name.
    let configuration: ModelConfiguration
    /// Rows of a custom store; nil for a store in a file or in memory, which everything below is about.
    let custom: (any CustomRows)?
    let identifier: String
    /// The shape that the file holds.
    let layout: StoredSchema
    let selections: [TableSelection]
    /// Where large values lie; nil for a store in memory.
    let externalValues: ExternalValues?
    private let file: StoreFile
    /// One state that somebody holds; nil for a store that is read as it is at the moment.
    private let held: BoundedRead?
    private var store: Store?
    /// Whether the store could be written while it was open.
    let isWritable: Bool
    /// Whether the connection that writes is the only one, and reads too.
    private let isAlone: Bool
    /// What the log says of this store's changes.
    private let origin: ChangeOrigin
    private let writing = NSRecursiveLock()
    private let pool = NSLock()
    private var readers: [Connection] = []
    private let commits = Atomic<UInt64>(1)
    private let closed = Atomic<Bool>(false)
    /// When history is looked at; touched under `writing` only.
    var upkeep = HistoryUpkeep()
    /// Who is told of commits.
    let changes = StoreChanges()

    /// Connections kept for reading; more are opened where more contexts read at once.
    private static let keptReaderCountMax = 8

    /// Opens the store of a configuration, and makes it where it is absent and may be written.
    /// - Throws: `SwiftDataError`: `.missingEntitlement` and `.ownedBy` for a synced store of somebody else's, `.migrationRequired` for a file of another
    ///   shape, `.loadIssueModelContainer` with the reason for everything else. The file is then as it was.
    init(
        _ configuration: ModelConfiguration, schema: SluiceSchema.Schema, types: [any PersistentModel.Type], route: MigrationRoute? = nil
    ) throws {
        self.configuration = configuration
        custom = nil
        held = nil
        isAlone = configuration.isStoredInMemoryOnly
        origin = .local
        do {
            file = try StoreFile(configuration)
            if configuration.isStoredInMemoryOnly || configuration.allowsSave {
                try DefaultStoreCopy(configuration)?.run()
                let store = try Self.writable(file, schema: schema, types, configuration, route)
                try SQLFunctions.install(on: store.connection)
                self.store = store
                isWritable = true
                layout = store.layout
                identifier = store.identifier.uuidString
                externalValues = store.externalValues
            } else {
                let connection = try Self.connection(reading: file.path ?? "")
                try StoreHeader.check(connection)
                try file.checkOwner(connection)
                store = nil
                isWritable = false
                let held = try StoreHeader.schema(in: connection)
                try ReadableShape(held, configuration).check(schema)
                layout = StoredSchema(held)
                identifier = try StoreHeader.value("store", in: connection)?.text ?? ""
                externalValues = ExternalValues(besideStore: connection.path)
                readers = [connection]
            }
        } catch let failure as StageFailure {
            throw failure.error
        } catch {
            throw SwiftDataError.opening(configuration, because: error)
        }
        selections = layout.tables.map(TableSelection.init)
        pruneHistory()
    }

    /// The store of a migration that is under way, for the code of one of its stages. It reads what it wrote.
    init(migrating store: Store, _ configuration: ModelConfiguration) throws {
        self.configuration = configuration
        custom = nil
        held = nil
        file = try StoreFile(configuration)
        self.store = store
        isWritable = true
        isAlone = true
        origin = .migration
        layout = store.layout
        identifier = store.identifier.uuidString
        externalValues = store.externalValues
        selections = layout.tables.map(TableSelection.init)
        try SQLFunctions.install(on: store.connection)
    }

    /// One state of a store of a group container, which its caller holds and ends.
    /// - Throws: `SwiftDataError.migrationRequired` where the store lacks what the classes declare, and what `read` throws.
    init(reading read: BoundedRead, _ configuration: ModelConfiguration, schema: SluiceSchema.Schema) throws {
        self.configuration = configuration
        custom = nil
        held = read
        file = try StoreFile(configuration)
        isAlone = false
        isWritable = false
        origin = .local
        let path = configuration.url.path(percentEncoded: false)
        let (stored, identifier) = try read.use { connection in
            try SQLFunctions.install(on: connection)
            return (try StoreHeader.schema(in: connection), try StoreHeader.value("store", in: connection)?.text ?? "")
        }
        try ReadableShape(stored, configuration).check(schema)
        layout = StoredSchema(stored)
        self.identifier = identifier
        externalValues = ExternalValues(besideStore: path)
        selections = layout.tables.map(TableSelection.init)
    }

    /// A custom store that is open.
    init(_ custom: any CustomRows, named name: String, schema: SluiceSchema.Schema) throws {
        self.custom = custom
        held = nil
        configuration = ModelConfiguration(name, isStoredInMemoryOnly: true)
        identifier = custom.identifier
        layout = StoredSchema(schema)
        selections = layout.tables.map(TableSelection.init)
        file = try StoreFile(configuration)
        externalValues = nil
        isWritable = false
        isAlone = false
        origin = .local
    }

    private static func writable(
        _ file: StoreFile, schema: SluiceSchema.Schema, _ types: [any PersistentModel.Type], _ configuration: ModelConfiguration,
        _ route: MigrationRoute?
    ) throws -> Store {
        let options = Store.Options(zone: file.entitlement?.zone ?? schema.name)
        guard let path = try file.path else { return try Store(path: Store.memoryPath, schema: schema, options: options) }
        let directory = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if FileManager.default.fileExists(atPath: path) {
            let connection = try Connection(path: path, mode: .readOnly)
            try StoreHeader.check(connection)
            try file.checkOwner(connection)
        }
        // A synced store is migrated by its coordinator.
        if let entitlement = file.entitlement { return try Store(path: path, schema: entitlement.schema, options: options) }
        let upgrade = StoreUpgrade(configuration, path: path, wanted: schema, types: types, route: route, options: options)
        return try Store(path: path, schema: upgrade.run(for: configuration), options: options)
    }

    /// The file that is current; nil for a store in memory.
    /// - Throws: `ReaderError` where a group container has no store at the moment.
    var currentPath: String? { get throws { try file.path } }

    /// Whether a coordinator of this process keeps the store.
    var isSynced: Bool { file.entitlement != nil }

    /// Grows with every commit of this process, and with those of others while somebody listens.
    var generation: UInt64 { commits.load(ordering: .acquiring) }

    // MARK: Reading

    /// Lends a connection for reading; it must not leave `body`.
    /// - Throws: `SwiftDataError.storeIsNewer` where another program migrated the file meanwhile and a statement fails by it.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        guard custom == nil else { throw DataStoreError.unsupportedFeature }
        if isAlone { return try write { try body($0.connection) } }
        guard !isClosed else { throw SwiftDataError.closed(configuration) }
        if let held { return try held.use(body) }
        let connection = try borrowReader()
        defer { giveBack(connection) }
        do { return try body(connection) } catch let error as SQLiteError {
            // What a statement does not find may be what another program's migration took.
            guard let held = try? StoreHeader.schema(in: connection), held.entities != layout.schema.entities else { throw error }
            throw SwiftDataError.migratedMeanwhile(configuration, because: error)
        }
    }

    private func borrowReader() throws -> Connection {
        guard let path = try file.path else { throw SwiftDataError.notSaved(configuration) }
        if let connection = pool.withLock({ reader(of: path) }) { return connection }
        return try Self.connection(reading: path)
    }

    /// A kept connection to the file that is current; those to one that was replaced are let go.
    private func reader(of path: String) -> Connection? {
        readers.removeAll { $0.path != path }
        return readers.popLast()
    }

    /// A connection that only reads and knows the functions of fetches.
    private static func connection(reading path: String) throws -> Connection {
        let connection = try Connection(path: path, mode: .readOnly)
        try SQLFunctions.install(on: connection)
        return connection
    }

    private func giveBack(_ connection: Connection) {
        pool.withLock {
            if readers.count < Self.keptReaderCountMax, !isClosed { readers.append(connection) }
        }
    }

    // MARK: Writing

    /// Lends the writing side. One caller at a time; the same thread may call again.
    /// - Throws: `SwiftDataError` where the store may not be written, `.storeIsNewer` where another program migrated the file meanwhile.
    func write<Result>(_ body: (Store) throws -> Result) throws -> Result {
        guard custom == nil else { throw DataStoreError.unsupportedFeature }
        guard isWritable else { throw held == nil ? SwiftDataError.notSaved(configuration) : SwiftDataError.notEntitled(configuration) }
        return try writing.withLock {
            guard let store else { throw SwiftDataError.closed(configuration) }
            do { return try body(store) } catch let error as StoreError {
                guard case .schemaMismatch = error else { throw error }
                throw SwiftDataError.migratedMeanwhile(configuration, because: error)
            }
        }
    }

    // MARK: Closing

    /// The connection that writes goes last: it empties the log into the file, which those that only read cannot, and a log that is left
    /// has to be read whole by the next who opens the store.
    deinit {
        readers = []
        store = nil
    }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Lets go of the file. Who is reading finishes; whoever comes later is refused.
    func close() {
        closed.store(true, ordering: .releasing)
        changes.endAll()
        custom?.close()
        // Connections close outside the locks, the one that writes last.
        let writer = writing.withLock { store.take() }
        withExtendedLifetime(writer) { _ = takeReaders() }
    }

    private func takeReaders() -> [Connection] {
        pool.withLock {
            defer { readers = [] }
            return readers
        }
    }

    /// Deletes every row, by statements that history sees.
    func erase() throws {
        if let custom {
            try custom.erase()
            noteCustomCommit(editor: nil)
            return
        }
        _ = try commit(author: nil) { store in
            for table in layout.tables { try store.connection.run("DELETE FROM \(table.sql)") }
        }
    }

    /// Runs one transaction of a context, and tells who listens.
    /// - Parameter editor: the context, as listeners know it.
    func commit<Result>(author: String?, editor: UUID? = nil, _ body: (Store) throws -> Result) throws -> Result {
        try committing(author: author, editor: editor, body).result
    }

    /// What a transaction gave, and the state of the store right after it.
    struct Committed<Result> {
        let result: Result
        /// The log's position; nil where the store keeps no log.
        let position: Int64?
        let generation: UInt64
    }

    /// The same, with the state of the store that it made.
    func committing<Result>(author: String?, editor: UUID? = nil, _ body: (Store) throws -> Result) throws -> Committed<Result> {
        let committed = try write { store in
            let (result, position) = try store.write(origin, author: author) {
                (try body(store), store.capturesChanges ? try store.lastChange() : nil)
            }
            let generation = nextGeneration()
            changes.announceWriting(StoreCommit(position: position, editor: editor))
            file.entitlement?.storeDidChange()
            return Committed(result: result, position: position, generation: generation)
        }
        changes.announce(StoreCommit(position: committed.position, editor: editor))
        if let position = committed.position { pruneHistory(after: position) }
        return committed
    }

    /// Begins another generation.
    func nextGeneration() -> UInt64 { commits.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// Another process committed.
    func noteForeignCommit() {
        _ = nextGeneration()
        changes.announce(StoreCommit(position: nil, editor: nil, isForeign: true))
    }
}
