/// What the storage remembers for the observers of one property.
struct ObserverFlags {
    /// An observer of the property is running.
    let isRunning: String
    /// The property has had a value: its default, one from a row, or one that was assigned.
    let wasSet: String

    /// - Parameter index: The property's place in its class.
    init(at index: String) {
        isRunning = "_$isObserving\(index)"
        wasSet = "_$wasSet\(index)"
    }
}
