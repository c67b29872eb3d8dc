// Where one instance stands. A model's storage holds values; everything that is not a value is here: the context, the row, what was edited, where
// relationships point. Used where the model is used: on its context's executor.
//
// Relationships of a model in a context are kept as keys, never as references: models that hold each other would never go. A key above 0 is a
// row's, one below 0 stands for a model that has no row yet; the context finds the instance for either.

public import Observation

/// The state of one model besides its values.
public final class _ModelState {
    /// nil until the model is in a context, and after the context let it go.
    var core: ContextCore?
    var binding: EntityBinding?
    var key: Int64 = 0
    /// The instance, while `core` is set. It owns this state, so it lives at least as long.
    unowned(unsafe) var model: (any PersistentModel)?
    var phase = Phase.detached
    /// The place among the context's new models, while the model is one.
    var place = Int.max
    /// The state of the store that the values come from: what other contexts saved since is not in them.
    var generation: UInt64 = 0

    /// Partners that were read with this model, by property.
    var prefetched: [Int: PrefetchedModels] = [:]

    private var changes = ChangedProperties()
    private var links: [Link] = []
    @usableFromInline var observation: ObservationRegistrar?

    enum Phase {
        /// In no context.
        case detached
        /// Inserted, not saved.
        case inserted
        /// Has a row.
        case saved
        /// Has a row that the next save deletes.
        case deleted
        /// Its row is gone. Values are the last known.
        case gone
    }

    enum Link {
        case unloaded
        /// nil: points nowhere.
        case one(Int64?)
        case many([Int64])
    }

    init() {}

    /// The state of a model that a row is read into.
    init(core: ContextCore, binding: EntityBinding, key: Int64) {
        self.core = core
        self.binding = binding
        self.key = key
        phase = .saved
        if !binding.links.isEmpty { links = Array(repeating: .unloaded, count: binding.links.count) }
    }

    deinit { core?.forget(self) }

    /// The state in `slot`, made when it is first asked for.
    public static func of(_ slot: inout _ModelState?) -> _ModelState {
        if let state = slot { return state }
        let state = _ModelState()
        slot = state
        return state
    }

    /// Made when somebody first looks: most models are never observed.
    public var registrar: ObservationRegistrar {
        if let observation { return observation }
        let registrar = ObservationRegistrar()
        observation = registrar
        return registrar
    }

    /// Whether anybody ever looked.
    @inlinable var isObserved: Bool { observation != nil }

    // MARK: Joining and leaving a context

    /// The key of a model without a row, given when it is first needed: the negative of its number in this run.
    func newKey() -> Int64 {
        if key == 0 { key = -Int64(clamping: PersistentIdentifier.nextTemporaryNumber()) }
        return key
    }

    func join(_ core: ContextCore, binding: EntityBinding, model: any PersistentModel) {
        self.core = core
        self.binding = binding
        // A model whose row is gone gets another one.
        if phase == .gone { key = 0 }
        _ = newKey()
        self.model = model
        phase = .inserted
        links = binding.links.map { $0.isToMany ? .many([]) : .one(nil) }
    }

    func leave(_ phase: Phase) {
        core = nil
        self.phase = phase
        prefetched = [:]
        changes = ChangedProperties()
    }

    // MARK: What was edited

    var hasChanges: Bool { !changes.isEmpty }
    func isChanged(_ index: Int) -> Bool { changes.contains(index) }
    var changedIndices: [Int] { changes.indices }

    /// Notes an edit and tells the context of the first one.
    func noteChange(_ index: Int) {
        guard let core else { return }
        if changes.isEmpty, phase == .saved { core.noteFirstChange(self) }
        changes.insert(index)
        core.noteActivity()
    }

    func clearChanges() { changes = ChangedProperties() }
    func setChanges(_ indices: [Int]) { for index in indices { changes.insert(index) } }

    // MARK: Links

    func link(_ link: Int) -> Link { link < links.count ? links[link] : .unloaded }
    func setLink(_ link: Int, to value: Link) { if link < links.count { links[link] = value } }
    func unload(link: Int) { setLink(link, to: .unloaded) }
    func unloadLinks() { for link in links.indices { links[link] = .unloaded } }

    func isLoaded(link: Int) -> Bool {
        if case .unloaded = self.link(link) { false } else { true }
    }

    /// Edits loaded members in place: taken out first, so that a list of 100,000 is not copied for each one that joins it.
    func editMembers(of link: Int, _ edit: (inout [Int64]) -> Void) -> Bool {
        guard case .many(var keys) = self.link(link) else { return false }
        links[link] = .unloaded
        edit(&keys)
        links[link] = .many(keys)
        return true
    }

    /// Members of a to-many that nobody edited are read again when they are next asked for.
    func forgetMembers(at index: Int) {
        guard let link = binding?.linkIndex(at: index), !isChanged(index) else { return }
        unload(link: link)
    }
}

/// The indices of edited properties: 64 of them without an allocation.
struct ChangedProperties {
    private var low: UInt64 = 0
    private var high: Set<Int> = []

    var isEmpty: Bool { low == 0 && high.isEmpty }

    func contains(_ index: Int) -> Bool { index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index) }

    mutating func insert(_ index: Int) {
        if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
    }

    var indices: [Int] { (0..<64).filter { low & (1 << UInt64($0)) != 0 } + high.sorted() }
}
