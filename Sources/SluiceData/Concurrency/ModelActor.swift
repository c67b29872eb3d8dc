/// An actor that owns one context and works with it on an executor of its own.
///
///     @ModelActor
///     actor NotesStore {
///         func titles() throws -> [String] { try modelContext.fetch(FetchDescriptor<Note>()).map(\.title) }
///     }
///
/// Models never leave the actor; values and `PersistentIdentifier`s do. Whoever gets an identifier fetches its own instance of the row.
public protocol ModelActor: Actor {
    /// The container that the actor's context belongs to.
    nonisolated var modelContainer: ModelContainer { get }
    /// What runs the actor's work.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The actor's executor, for Swift.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        guard let executor = modelExecutor as? any SerialExecutor else {
            preconditionFailure("\(Self.self).modelExecutor runs jobs side by side; an actor needs one that runs them in turn")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The context that the actor owns.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// This actor's own instance of a row; nil where no such row exists or it is of another class.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
        let model = modelContext.model(for: id) as? T
        // An identifier that nobody has gives a model without a row.
        return model?.modelContext == nil ? nil : model
    }
}
