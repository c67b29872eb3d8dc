public import Foundation

// The section property is put first in the order; results that have no value are in the section titled "".
extension ResultsObserver where SectionTitle == String {
    /// Observes a fetch, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(ResultsSource(fetchDescriptor, sectioning: .init(sectionBy)), context: modelContext, isolation: isolation)
    }

    /// Observes a fetch, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(ResultsSource(fetchDescriptor, sectioning: .init(sectionBy)), context: modelContext, isolation: isolation)
    }

    /// Observes a fetch in a new context, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let context = ModelContext(modelContainer)
        try self.init(fetchDescriptor: fetchDescriptor, sectionBy: sectionBy, modelContext: context, isolation: isolation)
    }

    /// Observes a fetch in a new context, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        let context = ModelContext(modelContainer)
        try self.init(fetchDescriptor: fetchDescriptor, sectionBy: sectionBy, modelContext: context, isolation: isolation)
    }

    /// Observes the models that match, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(fetchDescriptor: descriptor, sectionBy: sectionBy, modelContext: modelContext, isolation: isolation)
    }

    /// Observes the models that match, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws {
        let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? [])
        try self.init(fetchDescriptor: descriptor, sectionBy: sectionBy, modelContext: modelContext, isolation: isolation)
    }

    /// Observes the models that match in a new context, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            filterBy: filterBy, sortBy: sortBy, sectionBy: sectionBy, modelContext: ModelContext(modelContainer), isolation: isolation)
    }

    /// Observes the models that match in a new context, in sections by a property.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` where the property is not stored; what the first fetch throws.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(
            filterBy: filterBy, sortBy: sortBy, sectionBy: sectionBy, modelContext: ModelContext(modelContainer), isolation: isolation)
    }
}
