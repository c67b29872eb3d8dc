public import Foundation

extension ResultsObserver where SectionTitle == Never {
    /// Observes a fetch in a context.
    /// - Throws: what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(ResultsSource(fetchDescriptor, sectioning: nil), context: modelContext, isolation: isolation)
    }

    /// Observes a fetch in a new context.
    /// - Throws: what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor: fetchDescriptor, modelContext: ModelContext(modelContainer), isolation: isolation)
    }

    /// Observes the models that match, in an order.
    /// - Throws: what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(fetchDescriptor: descriptor, modelContext: modelContext, isolation: isolation)
    }

    /// Observes the models that match, in an order, in a new context.
    /// - Throws: what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(filterBy: filterBy, sortBy: sortBy, modelContext: ModelContext(modelContainer), isolation: isolation)
    }
}
