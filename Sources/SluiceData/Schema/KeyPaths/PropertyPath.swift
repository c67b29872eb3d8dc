/// A key path such as `\Item.list?.title` or `\Item.address.street`, property by property.
package struct PropertyPath: Sendable {
    /// Relationships to one model that the path passes, then the property at which it ends or whose value it goes into.
    package let properties: [ModelProperty]
    /// Stored members of a codable value, the outermost first; none where the path ends at the property itself.
    package let members: [String]
}

extension ModelShape {
    /// - Returns: nil where the path leads through anything that is not stored: a computed property, a method, a relationship to many.
    package func path(for keyPath: AnyKeyPath) -> PropertyPath? {
        if let property = property(for: keyPath) { return PropertyPath(properties: [property], members: []) }
        guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type, ModelShape.of(root).isRelated(to: self),
            let steps = KeyPathStep.steps(of: keyPath)
        else { return nil }
        guard let (properties, rest) = properties(along: steps[...]), rest.isEmpty || properties.last?.attributeKind == .codable else { return nil }
        return Self.members(rest.count, of: keyPath, steps: rest).map { PropertyPath(properties: properties, members: $0) }
    }

    /// The properties that the first steps lead to, over relationships to one model, and the steps that remain.
    /// - Returns: nil where a step leads to anything that is not stored.
    func properties(along steps: ArraySlice<KeyPathStep>) -> (properties: [ModelProperty], rest: ArraySlice<KeyPathStep>)? {
        var shape = self
        var properties: [ModelProperty] = []
        // `?` and `!` change the type and lead nowhere.
        var rest = steps.filter { ![.chain, .wrap, .force].contains($0) }[...]
        while let step = rest.first {
            guard let property = shape.property(at: step) else { return nil }
            rest = rest.dropFirst()
            properties.append(property)
            guard case .toOne(let destination) = property.kind else { break }
            shape = .of(destination)
        }
        return (properties, rest)
    }

    private func isRelated(to other: ModelShape) -> Bool { isKind(of: other) || other.isKind(of: self) }

    /// The names of the last members, which the key path prints where they are stored: `\Item.<computed …>?.street`.
    private static func members(_ count: Int, of keyPath: AnyKeyPath, steps: ArraySlice<KeyPathStep>) -> [String]? {
        let areStored = steps.allSatisfy { if case .field = $0 { true } else { false } }
        guard areStored else { return nil }
        let names = "\(keyPath)".split { ".?!".contains($0) }.suffix(count).map(String.init)
        let areNames = names.allSatisfy { !$0.isEmpty && !$0.contains { "<>() ".contains($0) } }
        return names.count == count && areNames ? names : nil
    }
}
