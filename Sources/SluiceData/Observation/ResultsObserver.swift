public import Foundation
import Observation

/// The results of a fetch, kept up to date, for programs of any kind.
///
///     let observer = try ResultsObserver<Note, Never>(sortBy: [SortDescriptor(\.updatedAt)], modelContext: context)
///     for await titles in Observations({ observer.results.map(\.title) }) { … }
///
/// It notices unsaved changes of its own context, saves of other contexts of the container, and commits of other processes. Who tracks
/// `results` or `sections` through Observation is told when they become others; each model tells of its own properties itself.
///
/// Used where it was made: on the actor that it was made on, to which it also hops to fetch anew. Reading `results` gives what is true at
/// that moment, whether or not word of a change has arrived. It stops watching when it is let go of.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable, ResultsRefreshing {
    /// The context that fetches, and that the results belong to.
    public let modelContext: ModelContext
    /// Why the last fetch failed; nil where it did not. The results are then those of the fetch before.
    public var fetchError: (any Error)? {
        registrar.access(self, keyPath: \.fetchError)
        return lastError
    }

    private var source: ResultsSource<Element, SectionTitle>
    private var elements: [Element] = []
    private var held = FetchResultsCollection<Element>([])
    private var heldSections: SectionedResults<Element, SectionTitle>?
    private var positions: [ObjectIdentifier: IndexPath]?
    private var lastError: (any Error)?
    private let registrar = ObservationRegistrar()
    private let refresh: ResultsRefresh
    private var listenings: [Listening] = []

    /// - Throws: what the first fetch throws.
    init(_ source: ResultsSource<Element, SectionTitle>, context: ModelContext, isolation: isolated (any Actor)?) throws {
        modelContext = context
        self.source = source
        refresh = ResultsRefresh(isolation: isolation)
        refresh.aim(at: self)
        listen()
        try take(modelContext.fetch(source.descriptor))
    }

    private func listen() {
        let note: @Sendable () -> Void = { [weak refresh] in refresh?.note() }
        listenings = modelContext.container.bindings.stores.map { store in store.listen { _ in note() } }
        listenings.append(modelContext.core.edits.listen(note))
    }

    // MARK: What is fetched

    /// The fetch, with the order that sections need.
    public var fetchDescriptor: FetchDescriptor<Element> {
        registrar.access(self, keyPath: \.fetchDescriptor)
        return source.descriptor
    }

    /// Which models; nil for all. Setting it fetches anew.
    public var filterBy: Predicate<Element>? {
        get { fetchDescriptor.predicate }
        set { edit { $0.setPredicate(newValue) } }
    }

    /// In which order. Sections' own property is put first where it is not. Setting it fetches anew.
    public var sortBy: [SortDescriptor<Element>] {
        get { fetchDescriptor.sortBy }
        set { edit { $0.setOrder(newValue) } }
    }

    private func edit(_ change: (inout ResultsSource<Element, SectionTitle>) -> Void) {
        registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { change(&source) }
        refresh.markStale()
        refreshIfStale()
    }

    // MARK: Results

    /// The models that match now. Setting it replaces them until something changes.
    public var results: FetchResultsCollection<Element> {
        get {
            bringUpToDate()
            registrar.access(self, keyPath: \.results)
            return held
        }
        set { replace(Array(newValue), newValue) }
    }

    /// The results by sections; nil for an observer without sections.
    public var sections: SectionedResults<Element, SectionTitle>? {
        bringUpToDate()
        registrar.access(self, keyPath: \.sections)
        return heldSections
    }

    /// nil where there is no such result. Without sections all results are in section 0.
    public func element(at indexPath: IndexPath) -> Element? {
        guard indexPath.count == 2 else { return nil }
        let (section, item) = (indexPath[0], indexPath[1])
        guard let sections else {
            let results = results
            return section == 0 && results.indices.contains(item) ? results[item] : nil
        }
        guard sections.indices.contains(section), sections[section].indices.contains(item) else { return nil }
        return sections[section][item]
    }

    /// nil where the model is not among the results.
    public func indexPath(for element: Element) -> IndexPath? {
        bringUpToDate()
        registrar.access(self, keyPath: \.results)
        let positions = positions ?? makePositions()
        self.positions = positions
        return positions[ObjectIdentifier(element)]
    }

    private func makePositions() -> [ObjectIdentifier: IndexPath] {
        guard let heldSections else { return Self.positions(of: elements, section: 0) }
        var positions: [ObjectIdentifier: IndexPath] = [:]
        for (section, members) in heldSections.enumerated() {
            positions.merge(Self.positions(of: members, section: section)) { first, _ in first }
        }
        return positions
    }

    private static func positions(of elements: some Sequence<Element>, section: Int) -> [ObjectIdentifier: IndexPath] {
        let places = elements.enumerated().map { (ObjectIdentifier($1), IndexPath(item: $0, section: section)) }
        return Dictionary(places, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Refreshing

    private func bringUpToDate() {
        refresh.access()
        refreshIfStale()
    }

    func refreshIfStale() {
        guard refresh.takeStale() else { return }
        do { try take(modelContext.fetch(source.descriptor)) } catch { setError(error) }
    }

    private func take(_ found: [Element]) {
        setError(nil)
        let isSame = found.elementsEqual(elements, by: ===)
        guard !isSame || source.hasSections else { return }
        let sections = source.sections(of: found)
        // Section titles are values of the models: they may have changed though the models are the same.
        let isShapeSame = sections?.map(\.title) == heldSections?.map(\.title) && sections?.map(\.count) == heldSections?.map(\.count)
        guard !isSame || !isShapeSame else { return }
        replace(found, FetchResultsCollection(found), sections)
    }

    private func replace(
        _ elements: [Element], _ results: FetchResultsCollection<Element>, _ sections: SectionedResults<Element, SectionTitle>? = nil
    ) {
        let sections = sections ?? source.sections(of: elements)
        registrar.withMutation(of: self, keyPath: \.results) {
            registrar.withMutation(of: self, keyPath: \.sections) {
                self.elements = elements
                held = results
                heldSections = sections
                positions = nil
            }
        }
    }

    private func setError(_ error: (any Error)?) {
        guard error != nil || lastError != nil else { return }
        registrar.withMutation(of: self, keyPath: \.fetchError) { lastError = error }
    }
}
