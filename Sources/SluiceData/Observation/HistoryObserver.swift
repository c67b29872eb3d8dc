import Foundation
public import Observation
import Synchronization

/// Counts transactions of interest as they are committed, wherever they come from: a signal to read history.
///
///     let observer = try HistoryObserver(observedModels: [Note.self], modelContainer: container)
///     for await _ in Observations({ observer.eventCounter }) { try readHistory(after: last) }
///
/// It counts every transaction that its own context did not write: those of other contexts of this process, of other processes and of
/// other programs, and those of migrations. An observer of a container has no context that writes, so it counts all; one of a
/// `ModelContext` leaves that context's own saves out.
///
/// May be shared by any number of threads. The counter changes on the actor that the observer was made on; for one made outside every
/// actor, on a thread of the observer's own. It stops watching when it is let go of.
public final class HistoryObserver: Observable, Sendable {
    /// Only transactions that touch rows of these classes, or of their subclasses, count; where it is empty, all do.
    public let observedModels: [any PersistentModel.Type]
    /// Only transactions of these authors count; where it is empty, all do.
    public let authors: Set<String>
    /// The container whose stores are observed.
    public let modelContainer: ModelContainer

    private let registrar = ObservationRegistrar()
    private let counter = Mutex(0)
    private let follower: HistoryFollower
    private let listenings: [Listening]

    /// Observes everything that is committed to a container's stores.
    /// - Parameters:
    ///   - historyTokens: from where on, by store identifier. Transactions that are there already count at once. A store without a token is
    ///     observed from now on, and so are all where it is nil.
    ///   - observedModels: only transactions that touch rows of these classes; empty for all.
    ///   - authors: only transactions of these authors; empty for all.
    /// - Throws: `SwiftDataError.historyTokenExpired` for a token that history no longer reaches; the store's error.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            historyTokens, observedModels: observedModels, authors: authors, container: modelContainer, editor: nil, isolation: isolation)
    }

    /// Observes what others than a context commit to the stores of its container.
    /// - Parameters:
    ///   - historyTokens: as above.
    ///   - modelContext: the context whose saves, from now on, do not count.
    /// - Throws: as above.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            historyTokens, observedModels: observedModels, authors: authors, container: modelContext.container,
            editor: modelContext.editingState.id, isolation: isolation)
    }

    private init(
        _ tokens: [String: any HistoryToken]?, observedModels: [any PersistentModel.Type], authors: Set<String>, container: ModelContainer,
        editor: UUID?, isolation: isolated (any Actor)?
    ) throws {
        self.observedModels = observedModels
        self.authors = authors
        modelContainer = container
        let follower = HistoryFollower(container.bindings, models: observedModels, authors: authors, editor: editor, isolation: isolation)
        self.follower = follower
        // First listen, then look: what is committed in between is seen twice at most, and counted once.
        listenings = container.bindings.stores.map(follower.listen)
        let missed = try follower.start(from: tokens, telling: self)
        counter.withLock { $0 += missed }
    }

    /// How many transactions of interest there were. It only grows.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return counter.withLock { $0 }
    }

    func add(_ count: Int) {
        // Told after the change: who tracks on another thread reads at once, and would read the old value in between.
        counter.withLock { $0 += count }
        registrar.withMutation(of: self, keyPath: \.eventCounter) {}
    }
}
