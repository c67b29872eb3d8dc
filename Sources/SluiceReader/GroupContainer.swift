// How a helper reads, whoever it is and whatever the coordinator is doing:
//
// 1. `defaults.json` names the store. It is replaced as a whole, so it is never half of one.
// 2. The store, its log and the log's index must be there and readable. That is asked before SQLite opens anything: SQLite would make what
//    is missing where it may, and otherwise say "unable to open" for a lack of permission.
// 3. SQLite opens the store read-only, never as immutable (an immutable store is read past its log: fewer rows and no error).
// 4. One read transaction with a bound on its time gives one state.
//
// Between 1 and 4 the coordinator may move the pointer and take the old file away: then the pointer says something else, and it starts
// again.

import Dispatch
public import FoundationEssentials
import Glibc
public import SluiceSchema
import SluiceSQLite

/// A directory that a coordinator fills and helpers read. Reading it makes, changes and removes nothing.
///
///     let container = try GroupContainer.open("shopping")
///     let count = try container.read { try $0.count(of: "Item") }
///
/// It need not exist yet, and may go and come: each read looks again.
public struct GroupContainer: Sendable {
    /// The oldest version of the schema that this helper can do with; nil takes any.
    public var requiredVersion: SchemaVersion?

    /// Where it may lie, the first choice first. Not empty.
    private let places: [String]

    /// How often the coordinator may move the pointer under one read before the helper gives up.
    private static let attemptCountMax = 5

    /// How long one state may be held at most. Meanwhile the writer cannot empty its log, and goes on in another file when that is full.
    public static let readLimitMax = Duration.seconds(300)

    public init(directory: String, requiredVersion: SchemaVersion? = nil) {
        places = [directory]
        self.requiredVersion = requiredVersion
    }

    private init(places: [String]) { self.places = places }

    /// The directory: of the usual places the first that exists, else the last.
    public var directory: String {
        guard places.count > 1 else { return places[0] }
        return places.first { Glibc.access($0, F_OK) == 0 } ?? places[places.count - 1]
    }

    /// The container of that name, in `groupsDirectory` or, without one, in the first usual place that has it: the user's own, then the
    /// system's.
    /// - Throws: `ReaderError.invalidGroupName`. Whether the container exists is found out when it is read.
    public static func open(
        _ name: String, groupsDirectory: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ReaderError) -> GroupContainer {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.contains("\0") else { throw .invalidGroupName(name) }
        let places = groupsDirectory.map { [$0] } ?? defaultGroupsDirectories(environment: environment)
        return GroupContainer(places: places.map { "\($0)/\(name)" })
    }

    /// Where containers lie: `$XDG_DATA_HOME/sluice/groups`, and the system's.
    public static func defaultGroupsDirectories(environment: [String: String]) -> [String] {
        // A relative path there is invalid and ignored (XDG Base Directory Specification).
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? environment["HOME"].map { "\($0)/.local/share" }
        return (data.map { ["\($0)/sluice/groups"] } ?? []) + ["/var/lib/sluice-groups"]
    }

    // MARK: Reading

    /// What is there to read. An answer for every state: nothing is thrown.
    /// - Parameter staleAfter: how long ago the last sync may be; nil asks for no freshness.
    public func status(staleAfter: Duration? = nil, at now: Date = Date()) -> ContainerStatus {
        do {
            let pointer = try pointer()
            var summary: LocalStoreSummary?
            if pointer.file != nil { summary = try ask(\.summary) }
            switch (pointer.state, summary) {
            case (.migrating(let progress), _): return .migrating(progress, summary)
            case (_, let summary?):
                if let staleAfter, summary.isStale(at: now, limit: staleAfter) { return .stale(since: summary.lastSync, summary) }
                return .current(summary)
            case (_, nil): return .noStore
            }
        } catch let error as ReaderError {
            return ContainerStatus(error)
        } catch {
            return .unavailable(.damaged(path: directory, reason: "\(error)"))
        }
    }

    /// Runs `body` on one consistent state of the local store, on this thread, which may have to wait for the disk.
    /// - Parameter limit: how long the state may be held, `readLimitMax` at most. Then it ends, whatever `body` is doing: what asks it
    ///   for rows from then on gets `ReaderError.tookTooLong`.
    /// - Throws: `ReaderError`, or what `body` throws. `body` may run again when the store is replaced before its first row is read.
    public func read<Result>(limit: Duration = .seconds(10), _ body: (Snapshot) throws -> Result) throws -> Result {
        try read(limit: limit, isWatched: true) { snapshot, _ in try body(snapshot) }
    }

    /// The same for a program of one question, whose `body` ends by itself: no thread watches over it.
    package func ask<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
        try read(limit: .seconds(10), isWatched: false) { snapshot, _ in try body(snapshot) }
    }

    /// The same on a thread of the reader's own, for callers that must not wait on theirs.
    /// - Throws: `CancellationError` where the task is cancelled before it begins, and what `read` throws.
    public func withSnapshot<Result: Sendable>(
        limit: Duration = .seconds(10), _ body: @escaping @Sendable (Snapshot) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: Swift.Result { try read(limit: limit, body) }) }
        }
    }

    private static let queue = DispatchQueue(label: "SluiceReader.GroupContainer", attributes: .concurrent)

    /// - Parameter isWatched: false where `body` is ours and surely ends: the state then has no timer of its own.
    package func read<Result>(
        limit: Duration, isWatched: Bool, _ body: (Snapshot, BoundedRead) throws -> Result
    ) throws -> Result {
        var pointer = try pointer()
        var attempt = 1
        while true {
            guard let file = pointer.file else {
                if case .migrating(let progress) = pointer.state { throw ReaderError.migrating(path: directory, progress) }
                throw ReaderError.noStore(path: directory)
            }
            do { return try read(file, limit: min(limit, Self.readLimitMax), isWatched, body) } catch let error as ReaderError
                where error.mayComeFromAReplacedStore
            {
                let next = try self.pointer()
                guard next.file != file, attempt < Self.attemptCountMax else { throw error }
                pointer = next
                attempt += 1
            }
        }
    }

    private func read<Result>(
        _ file: LocalStoreFile, limit: Duration, _ isWatched: Bool, _ body: (Snapshot, BoundedRead) throws -> Result
    ) throws -> Result {
        let path = "\(directory)/\(file.name)"
        try checkAccess(path)
        do {
            let read = try BoundedRead(path: path, limit: limit, isWatched: isWatched)
            defer { read.end() }
            let snapshot = try Snapshot(read, file: file, path: path, limit: limit)
            if let requiredVersion, snapshot.schema.version < requiredVersion {
                throw ReaderError.migrationRequired(path: path, found: snapshot.schema.version, wanted: requiredVersion)
            }
            return try body(snapshot, read)
        } catch {
            throw ReaderError(error, path: path, limit: limit) ?? error
        }
    }

    // MARK: Files

    private func checkAccess(_ path: String) throws(ReaderError) {
        guard Glibc.access(path, R_OK) == 0 else {
            throw errno == EACCES ? .notPermitted(path: path) : .storeIsMissing(path: path)
        }
        for suffix in LocalStoreFile.sidecarSuffixes where Glibc.access(path + suffix, R_OK) != 0 {
            throw errno == EACCES
                ? .notPermitted(path: path + suffix)
                : .unavailable(path: path, reason: "\(suffix) is missing: its coordinator makes it when it starts")
        }
    }

    /// The path of the store that is current now; a reader that keeps it open asks again before each read.
    /// - Throws: `ReaderError.noStore`, `.migrating` before there is a first one, or what keeps the pointer from being read.
    package func currentPath() throws(ReaderError) -> String {
        let pointer = try pointer()
        if let file = pointer.file { return "\(directory)/\(file.name)" }
        if case .migrating(let progress) = pointer.state { throw .migrating(path: directory, progress) }
        throw .noStore(path: directory)
    }

    /// - Parameter isWhole: whether shared defaults are asked for, too.
    func pointer(isWhole: Bool = false) throws(ReaderError) -> ContainerPointer {
        let path = "\(directory)/\(LocalStoreFile.pointerName)"
        let bytes = try Self.contents(of: path, container: directory)
        if !isWhole, let pointer = ContainerPointer(reading: bytes) { return pointer }
        do { return try JSONDecoder().decode(ContainerPointer.self, from: bytes) } catch is ContainerPointer.NewerFormat {
            throw .storeIsNewer(path: path)
        } catch {
            throw .damaged(path: path, reason: "it does not say which store is current")
        }
    }

    /// The pointer's bytes. It is small; a file that is not was put there by somebody else.
    private static func contents(of path: String, container: String) throws(ReaderError) -> Data {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case EACCES, EPERM: throw .notPermitted(path: path)
            case ENOENT, ENOTDIR: throw .noStore(path: container)
            case let code: throw .unavailable(path: path, reason: String(cString: strerror(code)))
            }
        }
        defer { close(descriptor) }
        // Memory that nobody clears first: of most of it no page is ever touched.
        let bytes: Data? = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count >= 0 && count < buffer.count ? Data(buffer[..<count]) : nil
        }
        guard let bytes else { throw .damaged(path: path, reason: "it cannot be read, or is too large") }
        return bytes
    }
}
