/// What the storage remembers for the observers of one property.
struct ObserverFlags {
    /// An observer of the property is running.
    let isRunning: String
    /// The property has had a value, from a row or from an assignment.
    let wasSet: String

    /// - Parameter index: The property's place in its class.
    init(at index: String) {
        isRunning = "_$isObserving\(index)"
        wasSet = "_$wasSet\(index)"
    }
}
