import Foundation

/// What an observer fetches, and by what it makes sections.
struct ResultsSource<Element: PersistentModel, SectionTitle: Hashable> {
    /// As the program asked.
    private(set) var descriptor: FetchDescriptor<Element>
    private let sectioning: Sectioning?

    struct Sectioning {
        /// Orders the results by their sections: one descriptor. In an array, because copying a bare one inside a generic type names a type
        /// that Foundation does not export, and a release build does not link.
        let order: [SortDescriptor<Element>]
        let title: (Element) -> SectionTitle
    }

    init(_ descriptor: FetchDescriptor<Element>, sectioning: Sectioning?) {
        self.descriptor = descriptor
        self.sectioning = sectioning
        self.descriptor.sortBy = sorted(descriptor.sortBy)
    }

    var hasSections: Bool { sectioning != nil }

    mutating func setPredicate(_ predicate: Predicate<Element>?) { descriptor.predicate = predicate }
    mutating func setOrder(_ order: [SortDescriptor<Element>]) { descriptor.sortBy = sorted(order) }

    /// Sections hold together only if their property is sorted by first. Where it is already, its direction stays.
    private func sorted(_ order: [SortDescriptor<Element>]) -> [SortDescriptor<Element>] {
        guard let sectioning, let keyPath = sectioning.order.first?.keyPath, order.first?.keyPath != keyPath else { return order }
        return sectioning.order + order.filter { $0.keyPath != keyPath }
    }

    func sections(of elements: [Element]) -> SectionedResults<Element, SectionTitle>? {
        sectioning.map { SectionedResults(elements, titledBy: $0.title) }
    }
}

extension ResultsSource.Sectioning where SectionTitle == String {
    /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored: results cannot be sorted by it.
    init(_ keyPath: KeyPath<Element, String>) throws {
        try Self.check(keyPath)
        self.init(order: [Self.order(by: keyPath)], title: { $0[keyPath: keyPath] })
    }

    /// Results without a value are in the section titled "".
    /// - Throws: `SwiftDataError.unsupportedKeyPath` for a property that is not stored: results cannot be sorted by it.
    init(_ keyPath: KeyPath<Element, String?>) throws {
        try Self.check(keyPath)
        self.init(order: [Self.order(by: keyPath)], title: { $0[keyPath: keyPath] ?? "" })
    }

    private static func check(_ keyPath: PartialKeyPath<Element>) throws {
        guard let property = ModelShape.of(Element.self).property(for: keyPath), property.attributeKind != nil, !property.isEphemeral else {
            throw SwiftDataError.unsupportedKeyPath.because(
                "\(keyPath) is no stored property of \(Element.self): results cannot be put in sections by it")
        }
    }

    /// By the store's own order of text; the initialiser for strings would compare by another.
    private static func order<Value: Comparable>(by keyPath: KeyPath<Element, Value>) -> SortDescriptor<Element> {
        // It is a stored property's key path: an immutable object that captures nothing.
        SortDescriptor(unsafeBitCast(keyPath, to: (any KeyPath<Element, Value> & Sendable).self))
    }

    private static func order<Value: Comparable>(by keyPath: KeyPath<Element, Value?>) -> SortDescriptor<Element> {
        SortDescriptor(unsafeBitCast(keyPath, to: (any KeyPath<Element, Value?> & Sendable).self))
    }
}
