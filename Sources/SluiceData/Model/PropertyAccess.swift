// What the accessors of a persisted property call. The overload follows from the property's type: an attribute's value lies in its slot, a
// relationship's in the slot only while the model is in no context, and in the state's links from then on.

extension PersistentModel {
    // MARK: Reading

    /// The value of an attribute.
    @_disfavoredOverload
    @inlinable
    public func _$read<Value>(_ slot: @autoclosure () -> Value?, at index: Int) -> Value {
        if let value = slot() { return value }
        return _$loaded(slot, at: index)
    }

    /// Fills the slots that are empty and reads again. A row that is gone leaves the property's default.
    public func _$loaded<Value>(_ slot: () -> Value?, at index: Int) -> Value {
        _$state.core?.load(self, at: index)
        if let value = slot() { return value }
        return Fallback.value(of: Value.self, property: index, of: type(of: self))
    }

    public func _$read<Value: PersistentModel>(_ slot: @autoclosure () -> Value?, at index: Int) -> Value {
        if let value = slot() ?? related(at: index) { return value }
        // The type says that there is always one; after its deletion there is none. Reading must not trap.
        return Value(_$state: _ModelState())
    }

    public func _$read<Value: PersistentModel>(_ slot: @autoclosure () -> Value??, at index: Int) -> Value? {
        if let value = slot() { return value }
        return related(at: index)
    }

    public func _$read<Value: PersistentModel>(_ slot: @autoclosure () -> [Value]?, at index: Int) -> [Value] {
        slot() ?? members(at: index)
    }

    public func _$read<Value: PersistentModel>(_ slot: @autoclosure () -> [Value]??, at index: Int) -> [Value]? {
        if let value = slot() { return value }
        return members(at: index)
    }

    private func related<Value: PersistentModel>(at index: Int) -> Value? {
        guard let core = _$state.core else { return nil }
        return core.related(to: self, at: index) as? Value
    }

    private func members<Value: PersistentModel>(at index: Int) -> [Value] {
        guard let core = _$state.core else { return [] }
        return core.members(of: self, at: index).compactMap { $0 as? Value }
    }

    // MARK: Writing

    /// Runs an edit of a property and tells its observers. A model that nobody ever looked at has none, and most are filled before anybody does.
    @inlinable
    public func _$mutate<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ edit: () -> Void) {
        guard _$state.isObserved else { return edit() }
        _$state.registrar.withMutation(of: self, keyPath: keyPath(), edit)
    }

    // What each of these returns goes into the slot.

    @_disfavoredOverload
    public func _$assigned<Value>(_ value: Value, at index: Int) -> Value? {
        let state = _$state
        if let core = state.core {
            core.willChange(self, at: index)
            state.noteChange(index)
        }
        return value
    }

    public func _$assigned<Value: PersistentModel>(_ value: Value, at index: Int) -> Value? {
        guard let core = contextToRelate(with: [value]) else { return value }
        core.relate(self, at: index, to: value)
        return nil
    }

    public func _$assigned<Value: PersistentModel>(_ value: Value?, at index: Int) -> Value?? {
        guard let core = contextToRelate(with: value.map { [$0] } ?? []) else { return .some(value) }
        core.relate(self, at: index, to: value)
        return nil
    }

    public func _$assigned<Value: PersistentModel>(_ value: [Value], at index: Int) -> [Value]? {
        guard let core = contextToRelate(with: value) else { return value }
        core.relate(self, at: index, toMembers: value)
        return nil
    }

    public func _$assigned<Value: PersistentModel>(_ value: [Value]?, at index: Int) -> [Value]?? {
        guard let core = contextToRelate(with: value ?? []) else { return .some(value) }
        core.relate(self, at: index, toMembers: value ?? [])
        return nil
    }

    /// The context that keeps the relationship: this model's, or else the first one that a new partner is in, which this model then joins.
    private func contextToRelate(with partners: [any PersistentModel]) -> ContextCore? {
        if let core = _$state.core { return core }
        guard _$state.phase == .detached, let core = partners.lazy.compactMap({ $0._$state.core }).first else { return nil }
        core.insert(self)
        return core
    }
}
