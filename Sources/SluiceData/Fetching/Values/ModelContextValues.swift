// Ours; SwiftData's `propertiesToFetch` makes models that lack the rest. Where a list is only shown, or written to a file, no model is needed.

extension ModelContext {
    /// The values of some properties, row by row, without making models.
    ///
    ///     let lines = try context.fetchValues(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name)]), \.name, \.quantity, \.list?.title)
    ///
    /// Where the context has unsaved changes that the descriptor includes, models are made after all, and the values are theirs.
    /// - Parameters:
    ///   - descriptor: which rows, in which order. Its `propertiesToFetch` and `relationshipKeyPathsForPrefetching` do not matter here.
    ///   - keyPaths: to stored properties of the class, to members of its codable values, or over relationships to one model to a partner's.
    /// - Throws: `SwiftDataError.unsupportedKeyPath` for what is not stored and for models, else what `fetch(_:)` throws.
    @inlinable
    public func fetchValues<Model: PersistentModel, each Value>(
        _ descriptor: FetchDescriptor<Model>, _ keyPaths: repeat KeyPath<Model, each Value>
    ) throws -> [(repeat each Value)] {
        let rows = try _ValueRows(descriptor, in: self)
        let columns = (repeat try rows.column(each keyPaths))
        var values: [(repeat each Value)] = []
        if let models = try rows.editedModels(descriptor) {
            for model in models { values.append((repeat model[keyPath: each keyPaths])) }
        } else {
            try rows.forEach { row in values.append((repeat try (each columns).value(in: row))) }
        }
        return values
    }
}
