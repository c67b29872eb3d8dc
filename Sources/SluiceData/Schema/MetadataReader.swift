import SluiceSchema

/// What one class says about itself, without its superclasses.
struct MetadataReader {
    let properties: [ModelProperty]
    let uniqueGroups: [[AnyKeyPath]]
    let indexGroups: [[AnyKeyPath]]

    /// - Parameter first: the index of the first property.
    init(_ type: any PersistentModel.Type, first: Int) {
        // Evaluated twice: a default that differs, such as `UUID()`, is made anew for each instance and has no place in a schema.
        let own = type.schemaMetadata.filter { Self.isOwn($0, of: type) }
        let again = type.schemaMetadata.filter { Self.isOwn($0, of: type) }
        var properties: [ModelProperty] = []
        for (position, entry) in own.enumerated() where !(entry.metadata is any ModelConstraint) {
            let isSame = position < again.count && again[position].name == entry.name
            properties.append(
                Self.property(entry, again: isSame ? again[position] : nil, declaring: type, index: first + properties.count))
        }
        self.properties = properties
        let constraints = own.compactMap { $0.metadata as? any ModelConstraint }
        uniqueGroups = constraints.filter { ($0 as? any SchemaProperty)?.isUnique == true }.flatMap(\.groups)
        indexGroups = constraints.filter { ($0 as? any SchemaProperty)?.isUnique != true }.flatMap(\.groups)
    }

    /// A class without `@Model` of its own hands on its superclass's metadata.
    private static func isOwn(_ entry: Schema.PropertyMetadata, of type: any PersistentModel.Type) -> Bool {
        if let constraint = entry.metadata as? any ModelConstraint { return constraint.modelType == type }
        return Swift.type(of: entry.keypath).rootType == type
    }

    private static func property(
        _ entry: Schema.PropertyMetadata, again: Schema.PropertyMetadata?, declaring type: any PersistentModel.Type, index: Int
    ) -> ModelProperty {
        let valueType = Swift.type(of: entry.keypath).valueType
        let kind = ModelProperty.kind(of: valueType, options: (entry.metadata as? Schema.Attribute)?.options ?? [])
        var constant: PropertyValue?
        if case .attribute(let kind) = kind, let value = entry.defaultValue.flatMap({ PropertyValue(constant: $0, as: kind) }),
            value == again?.defaultValue.flatMap({ PropertyValue(constant: $0, as: kind) })
        {
            constant = value
        }
        return ModelProperty(
            name: entry.name, index: index, keyPath: entry.keypath, declaringType: type, valueType: valueType,
            isOptional: valueType is any OptionalType.Type, kind: kind, metadata: entry.metadata, constantDefault: constant,
            hasDefault: entry.defaultValue != nil)
    }
}
