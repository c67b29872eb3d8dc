import Foundation
import Glibc
import SluiceSchema
import SluiceSQLite

/// What a migration did to a copy of the store.
package struct Rehearsal: Codable, Hashable, Sendable {
    /// The version that the copy had in the end.
    package let version: String
    /// How long the migration took, in seconds; copying and checking the copy besides.
    package let seconds: Double
    /// Bytes of the copy as one file, before and after.
    package let byteCountBefore: Int
    package let byteCountAfter: Int
}

extension StoreUpgrade {
    /// Migrates a copy, in full, and checks what comes of it; then the copy is removed. The store is only read: others may use it meanwhile.
    /// - Parameter progress: pages copied, and pages in all.
    /// - Returns: nil where there is no store, or where it has the shape already.
    /// - Throws: as `run`; `DatabaseCopyFailure` where there is no room for the copy; `StoreError.damaged` where the migrated copy is not sound.
    package func rehearse(progress: (_ done: Int, _ count: Int) throws -> Void = { _, _ in }) throws -> Rehearsal? {
        guard let held = try Store.schema(at: path), !wanted.isSameShape(as: held) else { return nil }
        let store = URL(filePath: path)
        // Beside the store: what fits there now fits there later, and large values get further names instead of copies.
        let directory = store.deletingLastPathComponent().path
        let prefix = Self.rehearsalPrefix(store)
        try Self.removeAbandoned(prefix, in: directory)
        let folder = "\(directory)/\(prefix)\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // What cannot be removed now is removed by the next rehearsal.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let copy = "\(folder)/\(store.lastPathComponent)"
        try Connection.copyDatabase(from: path, to: copy) { left, all in
            if isCancelled() { throw CancellationError() }
            try progress(all - left, all)
        }
        try StoreBackup.linkExternalValues(from: path, to: copy)
        let before = try Connection(path: copy, mode: .readOnly).byteCount
        var upgrade = StoreUpgrade(path: copy, wanted: wanted, options: options, supplied: supplied, plan: plan)
        (upgrade.companion, upgrade.report, upgrade.isCancelled, upgrade.makesBackup) = (companion, report, isCancelled, false)
        let begin = ContinuousClock.now
        let shape = try upgrade.run()
        let duration = begin.duration(to: .now)
        let connection = try Connection(path: copy, mode: .readOnly)
        let strays = try connection.integer("SELECT count(*) FROM pragma_foreign_key_check")
        let faults = try connection.integrityFaults() + (strays > 0 ? ["\(strays) references lead nowhere"] : [])
        guard faults.isEmpty else { throw StoreError.damaged(path: copy, faults: faults) }
        return Rehearsal(
            version: "\(shape.version)", seconds: duration / .seconds(1), byteCountBefore: before, byteCountAfter: try connection.byteCount)
    }

    /// Copies beside a store of rehearsals whose processes are no more. The next rehearsal removes them.
    package static func abandonedRehearsals(ofStoreAt path: String) -> [String] {
        let store = URL(filePath: path)
        let directory = store.deletingLastPathComponent().path
        let prefix = rehearsalPrefix(store)
        // A directory that is not there, or may not be read, has none to tell of.
        let names = (try? ExternalFolder.names(in: directory)) ?? []
        return names.filter { isAbandoned($0, prefix) }.sorted().map { "\(directory)/\($0)" }
    }

    private static func rehearsalPrefix(_ store: URL) -> String { ".\(store.lastPathComponent).rehearsal-" }

    private static func isAbandoned(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count)) else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    private static func removeAbandoned(_ prefix: String, in directory: String) throws {
        for name in try ExternalFolder.names(in: directory) where name == "\(prefix)\(getpid())" || isAbandoned(name, prefix) {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}
