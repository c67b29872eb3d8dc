/// Looks at, or changes, every slot of a model's storage. A slot is nil while its property is not loaded.
///
/// While a visitor runs, the storage is being accessed: it must not read or write properties of the same model.
public protocol _PropertyVisitor {
    mutating func visit<Value: PersistentModel>(_ slot: inout Value?, at index: Int)
    mutating func visit<Value: PersistentModel>(_ slot: inout Value??, at index: Int)
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]?, at index: Int)
    mutating func visit<Value: PersistentModel>(_ slot: inout [Value]??, at index: Int)
    @_disfavoredOverload
    mutating func visit<Value>(_ slot: inout Value?, at index: Int)
}
