/// The typed storage of the properties that one class declares: a nested struct that `@Model` makes.
///
/// Each property has a slot of its own type, optional once more: nil means not loaded. `base` is the number of properties that the
/// superclasses declare; a property's index is its place in the whole hierarchy, the root class first.
public protocol _ModelStorage: BackingData {
    init()
    /// Empty until the instance is asked for it, and always in a subclass's storage: the root class's has it.
    var _$state: _ModelState? { get set }
    mutating func _$decode(_ row: _RowReader, _ base: Int)
    func _$encode(_ row: _RowWriter, _ base: Int)
    mutating func _$visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor, _ base: Int)
}

/// An empty slot for a property whose type is written as a default value alone. The value is not evaluated.
public func _emptySlot<Value>(_ value: @autoclosure () -> Value) -> Value? { nil }
