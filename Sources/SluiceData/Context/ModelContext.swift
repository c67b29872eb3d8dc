// The face of ContextCore: SwiftData's API, its notifications and its autosave. What it does is in the files beside this one.

public import Foundation
import SluiceSQLite

/// A workspace: it fetches models, keeps one instance per row, notes what changes and saves it.
///
///     let context = ModelContext(container)
///     context.insert(Note(title: "milk"))
///     try context.save()
///
/// A context and its models are used on one executor: the main actor's for `ModelContainer.mainContext`, an actor's own for a `ModelActor`.
/// A model keeps its values after its context is gone, but can be saved no more.
public final class ModelContext: Equatable, SendableMetatype {
    /// The container whose stores the context reads and writes.
    public let container: ModelContainer
    /// Whether changes are saved by themselves, one second after the last one. Off, except in `mainContext`.
    public var autosaveEnabled = false
    /// Records edits while it is set; nil at first. One group of edits ends at each save and at `processPendingChanges`.
    ///
    /// Undo works across saves: what was deleted and saved comes back as new rows. Not recorded are `delete(model:where:)`, batch updates
    /// and what other contexts do. An insertion that became an existing row, by a unique value, is undone by deleting that row.
    public var undoManager: UndoManager? {
        didSet { core.undo = undoManager.map { EditRecorder($0, core: core) } }
    }
    /// Set for the code of a migration's stage.
    var migrationScratch: MigrationScratch?
    /// Who history says wrote what this context saves.
    public var author: String? {
        get { editingState.author }
        set { editingState.author = newValue }
    }
    /// Tells this context's work from others' in a store of one's own.
    public private(set) var editingState = EditingState() {
        didSet { core.editingState = editingState }
    }

    let core: ContextCore
    private let autosave = Autosave()
    private var isInTransaction = false

    /// A context without models. It is used on the executor that it was made on.
    public init(_ container: ModelContainer) {
        self.container = container
        core = ContextCore(container.bindings)
        core.context = self
        core.editingState = editingState
        for store in container.bindings.stores { store.custom?.begin(editingState) }
    }

    deinit {
        autosave.cancel()
        core.discard()
        for store in container.bindings.stores { store.custom?.end(editingState) }
    }

    public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

    // MARK: What is pending

    /// Models that the next save gives rows, in the order in which they came.
    public var insertedModelsArray: [any PersistentModel] { core.inserted.models }
    /// Models whose rows the next save updates.
    public var changedModelsArray: [any PersistentModel] { core.changed.models.filter { $0._$state.phase == .saved } }
    /// Models whose rows the next save deletes; what their delete rules take along is not among them.
    public var deletedModelsArray: [any PersistentModel] { core.deleted.models }
    /// Whether there is anything to save.
    public var hasChanges: Bool { core.hasChanges }

    // MARK: Editing

    /// Adds a model and what it reaches. It gets its row at the next save, or becomes the row that has its unique values already.
    /// Inserting a model that is in the context changes nothing. A saved model of another context brings its unsaved edits: they become
    /// edits of this context's own instance of the row.
    public func insert<T: PersistentModel>(_ model: T) { core.insert(model) }

    /// Marks a model to be deleted by the next save, with what its delete rules take along. One that was never saved just leaves.
    public func delete<T: PersistentModel>(_ model: T) { core.delete(model) }

    /// Deletes every matching row at once, in a transaction of its own, with what delete rules take along.
    /// - Parameters:
    ///   - predicate: nil for every row of the class.
    ///   - includeSubclasses: whether rows of subclasses count.
    /// - Throws: `SwiftDataError.unsupportedPredicate`; what a delete rule that denies says; the store's error. Then nothing was deleted.
    public func delete<T: PersistentModel>(model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) throws {
        try core.deleteAll(T.self, where: predicate, includingSubclasses: includeSubclasses, author: author)
    }

    /// Drops every unsaved change, and what could be undone.
    public func rollback() {
        core.rollback()
        undoManager?.removeAllActions()
    }

    /// Changes are noted as they are made; there is nothing to wait for. What comes next is undone apart from what came before.
    public func processPendingChanges() { undoManager?.endEvent() }

    /// Runs `block` and saves once at its end.
    /// - Throws: what `block` throws, after a rollback; what `save()` throws.
    public func transaction(block: () throws -> Void) throws {
        guard !isInTransaction else { return try block() }
        isInTransaction = true
        defer { isInTransaction = false }
        do { try block() } catch {
            rollback()
            throw error
        }
        try saveNow()
    }

    /// Writes what is pending, in one transaction per store, and posts `willSave` and `didSave`.
    /// - Throws: `SwiftDataError.modelValidationFailure`, or the store's error. Then nothing was written, and everything is still pending.
    public func save() throws {
        // Inside `transaction`, its end saves.
        guard !isInTransaction else { return }
        try saveNow()
    }

    private func saveNow() throws {
        guard core.hasChanges || !core.mistakes.isEmpty else {
            undoManager?.endEvent()
            return
        }
        autosave.cancel()
        NotificationCenter.default.post(name: Self.willSave, object: self)
        // Who was told may have edited: that belongs to what is saved.
        undoManager?.endEvent()
        let summary = try core.save(author: author)
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: summary.userInfo)
    }

    func noteActivity() {
        guard autosaveEnabled else { return }
        autosave.schedule { [weak self] in try self?.save() }
    }
}

// MARK: Finding models

extension ModelContext {
    /// The instance of a row, or of an unsaved model. An identifier that nobody has gives a model without values: reading it gives
    /// defaults.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel { core.model(for: persistentModelID) }

    /// The instance that this context already has; nil where it has none.
    public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
        core.registeredModel(for: persistentModelID) as? T
    }

    /// - Throws: `SwiftDataError.unsupportedPredicate`, `.unsupportedSortDescriptor`, or the store's error.
    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { try core.fetch(descriptor) }

    public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int { try core.count(descriptor) }

    /// Models that are read `batchSize` at a time, as they are looked at.
    /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` where the descriptor wants unsaved changes and there are some.
    public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> FetchResultsCollection<T> {
        if descriptor.includePendingChanges, hasChanges { throw SwiftDataError.includePendingChangesWithBatchSize }
        return FetchResultsCollection(batches: try core.keys(descriptor), size: max(1, batchSize), core: core)
    }

    public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
        if descriptor.includePendingChanges, hasChanges, !descriptor.sortBy.isEmpty {
            throw SwiftDataError.sortingPendingChangesWithIdentifiers
        }
        return try core.keys(descriptor).map { $0.binding.identifier(of: $0.key) }
    }

    public func fetchIdentifiers<T: PersistentModel>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> {
        FetchResultsCollection(try fetchIdentifiers(descriptor))
    }

    /// Calls `block` for each match, `batchSize` models at a time; a batch is let go before the next one is read.
    /// - Parameter allowEscapingMutations: whether it may run while the context has unsaved changes.
    /// - Throws: `SwiftDataError` where there are unsaved changes and they are not allowed; what `block` throws.
    public func enumerate<T: PersistentModel>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5_000, allowEscapingMutations: Bool = false, block: (T) throws -> Void
    ) throws {
        if hasChanges, !allowEscapingMutations { throw SwiftDataError.unsavedChangesInEnumeration }
        var keys = try core.keys(fetch)[...]
        while !keys.isEmpty {
            for model in try core.models(of: Array(keys.prefix(max(1, batchSize)))) {
                if let model = model as? T { try block(model) }
            }
            keys = keys.dropFirst(max(1, batchSize))
        }
    }
}

// MARK: Notifications

extension ModelContext {
    /// Posted before a save; the object is the context.
    public static let willSave = Notification.Name("SluiceData.ModelContext.willSave")
    /// Posted after a save; the object is the context, the user info has arrays of identifiers under `NotificationKey`'s raw values.
    public static let didSave = Notification.Name("SluiceData.ModelContext.didSave")

    /// The keys of a notification's user info.
    public enum NotificationKey: String, Sendable {
        case queryGeneration
        case invalidatedAllIdentifiers
        case insertedIdentifiers
        case updatedIdentifiers
        case deletedIdentifiers
        /// `[String: any HistoryToken]`: for each store that was written, by its identifier, the token of this save.
        case historyTokens
    }
}

extension ContextCore.SaveSummary {
    var userInfo: [AnyHashable: Any] {
        [
            ModelContext.NotificationKey.insertedIdentifiers.rawValue: inserted,
            ModelContext.NotificationKey.updatedIdentifiers.rawValue: updated,
            ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
            ModelContext.NotificationKey.historyTokens.rawValue: tokens,
        ]
    }
}
