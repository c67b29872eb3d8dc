// The typed face of a group container: the classes of the program that fills it, or some of them, over the same reads as rows.
// A read is one state, so two fetches in it agree; it ends with `read`, or when its time is up.

import Dispatch
public import Foundation
public import SluiceData
public import SluiceReader

/// Models of a group container, to read.
///
///     let errands = try GroupModels.open("shopping", for: Errand.self)
///     let titles = try errands.read { context in
///         try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { !$0.isDone })).map(\.title)
///     }
///
/// It writes nothing and migrates nothing. The classes may be some of those that the container holds, with some of their properties.
public struct GroupModels: Sendable {
    /// The same container as rows; its status and generations are those of the models.
    public let container: GroupContainer
    private let schema: Schema
    /// nil where the classes say no version.
    private let version: Schema.Version?

    /// - Parameter container: where the models are.
    public init(_ container: GroupContainer, for types: [any PersistentModel.Type]) {
        self.container = container
        schema = Schema(types)
        version = nil
    }

    /// Classes of a version: a store of a newer one that no longer has what they declare is told from one that does not have it yet.
    public init(_ container: GroupContainer, for versioned: any VersionedSchema.Type) {
        self.container = container
        schema = Schema(versionedSchema: versioned)
        version = versioned.versionIdentifier
    }

    /// The models of the container of that name, wherever `GroupContainer.open` finds it.
    /// - Throws: `ReaderError.invalidGroupName`.
    public static func open(
        _ name: String, for types: any PersistentModel.Type..., groupsDirectory: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ReaderError) -> GroupModels {
        GroupModels(try GroupContainer.open(name, groupsDirectory: groupsDirectory, environment: environment), for: types)
    }

    /// The same with classes of a version.
    /// - Throws: `ReaderError.invalidGroupName`.
    public static func open(
        _ name: String, for versioned: any VersionedSchema.Type, groupsDirectory: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ReaderError) -> GroupModels {
        GroupModels(try GroupContainer.open(name, groupsDirectory: groupsDirectory, environment: environment), for: versioned)
    }

    /// Runs `body` with a context of one state of the container, on this thread, which may have to wait for the disk.
    ///
    /// The models end with it: afterwards they have the values they were read with, and relationships that were not read stay empty.
    /// - Parameter limit: how long the state may be held, `GroupContainer.readLimitMax` at most. A fetch after that throws
    ///   `ReaderError.tookTooLong`; read again for a newer state.
    /// - Throws: `ReaderError` where the container cannot be read; `SwiftDataError.migrationRequired` where its store lacks what the classes declare, and
    ///   `.storeIsNewer` where a newer version took it away; `.missingEntitlement` for a save; and what `body` throws.
    public func read<Result>(limit: Duration = .seconds(10), _ body: (ModelContext) throws -> Result) throws -> Result {
        try container.read(limit: limit, isWatched: true) { snapshot, read in
            let models = try ModelContainer(for: schema, version: version, reading: read, snapshot, in: container.directory)
            defer { models.invalidate() }
            return try body(ModelContext(models))
        }
    }

    /// The same on a thread of the reader's own, for callers that must not wait on theirs. Models do not leave it; values do.
    /// - Throws: `CancellationError` where the task is cancelled before it begins, and what `read` throws.
    public func withContext<Result: Sendable>(
        limit: Duration = .seconds(10), _ body: @escaping @Sendable (ModelContext) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Swift.Result { try read(limit: limit, body) }) }
        }
    }

    private static let queue = DispatchQueue(label: "SluiceReader.GroupModels", attributes: .concurrent)

    /// What is there to read: the container's status, and whether its store fits the classes.
    /// - Parameter staleAfter: how long ago the last sync may be; nil asks for no freshness.
    public func status(staleAfter: Duration? = nil) -> ContainerStatus {
        let status = container.status(staleAfter: staleAfter)
        guard let summary = status.summary else { return status }
        do {
            return try read { _ in status }
        } catch SwiftDataError.migrationRequired {
            return .migrationRequired(found: summary.schemaVersion, wanted: version?.stored ?? summary.schemaVersion)
        } catch SwiftDataError.storeIsNewer {
            return .storeIsNewer(path: "\(container.directory)/\(summary.file)")
        } catch {
            // The container changed in between; the next look says how.
            return status
        }
    }

    /// The container's generations, as they come. See `GroupContainer.generations`.
    public func generations(staleAfter: Duration? = nil) -> Generations { container.generations(staleAfter: staleAfter) }
}
