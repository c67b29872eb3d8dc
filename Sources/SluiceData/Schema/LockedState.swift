import Foundation

/// The state of a part of a schema. SwiftData's parts are classes with settable properties that are Sendable all the same.
///
/// `@unchecked Sendable`: `state` is read and written only while `lock` is held. A value that leaves is a copy; where it is a reference
/// (a default value of a class), the part only handed it on and never touches it again.
final class LockedState<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    init(_ state: State) { self.state = state }

    subscript<Value>(_ path: WritableKeyPath<State, Value>) -> Value {
        get { lock.withLock { state[keyPath: path] } }
        set { lock.withLock { state[keyPath: path] = newValue } }
    }

    /// All of it at one moment.
    var value: State { lock.withLock { state } }
}
