package import SluiceSchema

/// What a migration has come to; for status, logs and people who wait.
package enum UpgradeEvent: Hashable, Sendable {
    /// A stage's place in all that are to run.
    package struct Place: Hashable, Sendable {
        /// From 1.
        package let number: Int
        package let count: Int
        package let name: String
    }

    /// The store is copied beside itself; about so many bytes.
    case backingUp(byteCount: Int)
    /// Some of that copy was made; told now and then.
    case copying
    /// Another process writes to the store, and is waited for.
    case waiting
    case began(Place)
    /// Something of the stage was done; told now and then while it runs.
    case working(Place)
    /// - changes: how many rows the stage's code inserted, changed or deleted.
    case finished(Place, changes: Int64, duration: Duration)
    /// All stages are done and on disk.
    case committed(version: String, duration: Duration)
}

/// What else lives in a store beside its rows and follows a step: what sync knows of records. Called inside the migration's transaction; what it
/// throws rolls everything back.
package protocol UpgradeCompanion: AnyObject {
    /// The rows are still of the old shape.
    func willAdvance(_ store: Store, by change: SchemaChange) throws
    /// The rows are of the new shape; the stage's code for them is about to run. Not asked where there is none.
    func willRunCode(_ store: Store, after change: SchemaChange) throws
    /// The stage is done.
    func didFinish(_ store: Store, _ change: SchemaChange) throws
}
