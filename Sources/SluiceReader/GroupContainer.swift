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

import FoundationEssentials
import Glibc
public import SluiceSchema
import SluiceSQLite

/// A directory that a coordinator fills and helpers read. Reading it makes, changes and removes nothing.
///
///     let container = try GroupContainer.open(named: "shopping", environment: ProcessInfo.processInfo.environment)
///     let count = try container.read { try $0.count(of: "Item") }
public struct GroupContainer: Sendable {
    public let directory: String
    /// The oldest version of the schema that this helper can do with; nil takes any.
    public var requiredVersion: SchemaVersion?

    /// How often the coordinator may move the pointer under one read before the helper gives up.
    private static let attemptCountMax = 5

    public init(directory: String, requiredVersion: SchemaVersion? = nil) {
        self.directory = directory
        self.requiredVersion = requiredVersion
    }

    /// The container of that name, in `groupsDirectory` or, without one, in the first usual place that has it: the user's own, then the
    /// system's.
    /// - Throws: `ReaderError.invalidGroupName`. Whether the container exists is found out when it is read.
    public static func open(
        named name: String, groupsDirectory: String? = nil, environment: [String: String]
    ) throws(ReaderError) -> GroupContainer {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.contains("\0") else { throw .invalidGroupName(name) }
        let places = groupsDirectory.map { [$0] } ?? defaultGroupsDirectories(environment: environment)
        let directories = places.map { "\($0)/\(name)" }
        return GroupContainer(directory: directories.first { Glibc.access($0, F_OK) == 0 } ?? directories.last ?? name)
    }

    /// Where containers lie: `$XDG_DATA_HOME/sluice/groups`, and the system's.
    public static func defaultGroupsDirectories(environment: [String: String]) -> [String] {
        // A relative path there is invalid and ignored (XDG Base Directory Specification).
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? environment["HOME"].map { "\($0)/.local/share" }
        return (data.map { ["\($0)/sluice/groups"] } ?? []) + ["/var/lib/sluice-groups"]
    }

    // MARK: Reading

    /// What is there to read. An answer for every state: nothing is thrown.
    public func status() -> ContainerStatus {
        do {
            let pointer = try pointer()
            var summary: LocalStoreSummary?
            if pointer.file != nil { summary = try read { $0.summary } }
            switch (pointer.state, summary) {
            case (.migrating(let progress), _): return .migrating(progress, summary)
            case (_, let summary?): return .current(summary)
            case (_, nil): return .noStore
            }
        } catch let error as ReaderError {
            if case .noStore = error { return .noStore }
            return .unavailable(error)
        } catch {
            return .unavailable(.damaged(path: directory, reason: "\(error)"))
        }
    }

    /// Runs `body` on one consistent state of the local store.
    /// - Parameter limit: how long the state may be held. The writer cannot empty its log meanwhile.
    /// - Throws: `ReaderError`, or what `body` throws. `body` may run again when the store is replaced before its first row is read.
    public func read<Result>(limit: Duration = .seconds(10), _ body: (Snapshot) throws -> Result) throws -> Result {
        var pointer = try pointer()
        var attempt = 1
        while true {
            guard let file = pointer.file else {
                if case .migrating(let progress) = pointer.state { throw ReaderError.migrating(path: directory, progress) }
                throw ReaderError.noStore(path: directory)
            }
            do { return try read(file, limit: limit, body) } catch let error as ReaderError where error.mayComeFromAReplacedStore {
                let next = try self.pointer()
                guard next.file != file, attempt < Self.attemptCountMax else { throw error }
                pointer = next
                attempt += 1
            }
        }
    }

    private func read<Result>(
        _ file: LocalStoreFile, limit: Duration, _ body: (Snapshot) throws -> Result
    ) throws -> Result {
        let path = "\(directory)/\(file.name)"
        try checkAccess(path)
        let deadline = ContinuousClock.now + limit
        do {
            let connection = try Connection(path: path, mode: .readOnly, busyTimeout: .seconds(1))
            try FilterFunctions.install(on: connection)
            connection.setDeadline(deadline)
            return try connection.transaction(.deferred) {
                let snapshot = try Snapshot(connection: connection, file: file, deadline: deadline)
                if let requiredVersion, snapshot.schema.version < requiredVersion {
                    throw ReaderError.needsMigration(path: path, found: snapshot.schema.version, wanted: requiredVersion)
                }
                return try body(snapshot)
            }
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

    func pointer() throws(ReaderError) -> ContainerPointer {
        let path = "\(directory)/\(LocalStoreFile.pointerName)"
        let bytes = try Self.contents(of: path, container: directory)
        do { return try JSONDecoder().decode(ContainerPointer.self, from: bytes) } catch is ContainerPointer.NewerFormat {
            throw .isNewer(path: path)
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
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0, count < buffer.count else { throw .damaged(path: path, reason: "it cannot be read, or is too large") }
        return Data(buffer[..<count])
    }
}

extension ReaderError {
    /// Whether the same read may succeed on the store that the pointer names by now.
    fileprivate var mayComeFromAReplacedStore: Bool {
        switch self {
        case .storeIsMissing, .unavailable, .damaged: true
        default: false
        }
    }

    /// What an error from below means to a helper; nil for one that `body` threw on its own account.
    fileprivate init?(_ error: any Error, path: String, limit: Duration) {
        switch error {
        case let error as ReaderError: self = error
        case let error as ExternalValueFault: self.init(error)
        case is DeadlinePassed: self = .tookTooLong(path: path, limit: limit)
        case let error as SQLiteError: self.init(error, path: path, limit: limit)
        case StoreHeader.Fault.formatIsNewer: self = .isNewer(path: path)
        case StoreHeader.Fault.notAStore: self = .damaged(path: path, reason: "it is no store of Sluice's")
        case StoreHeader.Fault.schemaIsMissing: self = .damaged(path: path, reason: "the schema inside it is missing")
        // The header's format is known, so only a newer program can have written a schema that this one cannot read.
        case is DecodingError: self = .isNewer(path: path)
        default: return nil
        }
    }

    private init(_ fault: ExternalValueFault) {
        switch fault.reason {
        case .notPermitted: self = .notPermitted(path: fault.path)
        case .unreadable: self = .unavailable(path: fault.path, reason: "\(fault.whose), \(fault.summary)")
        default: self = .damaged(path: fault.path, reason: "\(fault.whose), \(fault.summary)")
        }
    }

    private init(_ error: SQLiteError, path: String, limit: Duration) {
        switch error.code {
        case .interrupted: self = .tookTooLong(path: path, limit: limit)
        // All three files were there and readable a moment ago.
        case .busy, .locked, .readOnly, .cannotOpen: self = .unavailable(path: path, reason: error.message)
        case .permission: self = .notPermitted(path: path)
        default: self = .damaged(path: path, reason: error.message)
        }
    }
}
