
extension PersistentModel {
    /// The context that the model is in; nil before it is inserted, after its deletion was saved, and once the context is gone.
    public var modelContext: ModelContext? { _$state.core?.context }

    /// The identity of the model's row. A model without a row has a temporary one; saving gives it its own.
    public var persistentModelID: PersistentIdentifier {
        let state = _$state
        if let binding = state.binding { return binding.identifier(of: state.key) }
        let shape = ModelShape.of(Self.self)
        let origin = IdentifierOrigin(storeIdentifier: nil, entityName: shape.entityName, rootEntityName: shape.root.entityName)
        return PersistentIdentifier(origin, temporary: state.newKey().magnitude)
    }

    public var id: PersistentIdentifier { persistentModelID }

    /// Whether the model has edits that are not saved.
    public var hasChanges: Bool { _$state.phase == .inserted || _$state.phase == .deleted || _$state.hasChanges }

    /// Whether the next save deletes the model. False again once it did.
    public var isDeleted: Bool { _$state.phase == .deleted }

    /// One instance stands for one row in a context, so instances are equal when they are the same.
    public static func == (left: Self, right: Self) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
