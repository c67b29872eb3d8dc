/// Runs work next to one context, so that the context is only ever used in one place.
public protocol ModelExecutor: Executor {
    /// The context that this executor guards. Touch it only from work that the executor runs.
    var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time: what an actor needs.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
