// Brings a legacy store into the `Legacy` directory as a complete, sound copy, and leaves the source exactly as it was.
//
// 1. One importer at a time: an advisory lock on `import.lock`, gone with the process that held it.
// 2. The source is opened by no SQLite connection: even a read-only one leaves files beside it. Its bytes are read (main file, log,
//    journal,
//    external values) between two equal fingerprints, else again.
// 3. The copy is made in `incoming.partial`. There SQLite merges the log and checks the database. It gets its final name by rename, after
//    every
//    byte and name is on the disk. So a folder without `.partial` is complete, and a crash leaves only `incoming.partial`, which the next
//    run removes.
// 4. The final name is the digest of the source's bytes: staging the same bytes again finds the finished copy.

import Foundation
import SluiceDigest
import SluiceSQLite

/// The `Legacy` directory of one group container, locked for one importer.
///
///     let staging = try LegacyStaging(directory: "/var/lib/sluice-groups/notes/Legacy")
///     let store = try staging.stage("/home/me/Notes.sqlite")
package final class LegacyStaging {
    /// What has just been done; tests stop here, programs show progress.
    package enum Step: CaseIterable, Sendable {
        case found, attempted, copied, settled, manifestWritten, renamed
    }

    package let directory: String
    /// Held, never read: the lock goes when it closes.
    private let lock: OpenFile
    private let pause: (Int) -> Void

    private static let attemptCountMax = 8
    private static let partialSuffix = ".partial"
    private var partial: String { directory + "/incoming" + Self.partialSuffix }

    /// - Parameter pause: waits before attempt n + 1, after the source changed during attempt n.
    /// - Throws: `ImportError.importRunning` where another process has the directory.
    package init(directory: String, pause: @escaping (Int) -> Void = { Thread.sleep(forTimeInterval: 0.1 * Double($0)) }) throws {
        guard directory.hasPrefix("/") else { throw ImportError.relativePath(directory) }
        self.directory = directory
        self.pause = pause
        try Folder.make(directory)
        if let name = try NetworkFileSystem.name(at: directory) {
            throw ImportError.networkFileSystem(path: directory, name: name)
        }
        let path = directory + "/import.lock"
        guard let lock = try OpenFile.locking(path) else {
            let holder = String(decoding: try OpenFile.reading(path).read(32, at: 0), as: UTF8.self)
            throw ImportError.importRunning(lock: path, holder: holder.isEmpty ? "unknown" : holder)
        }
        try lock.truncate()
        try lock.write(Data("\(ProcessInfo.processInfo.processIdentifier)".utf8))
        self.lock = lock
        for name in try Folder.names(in: directory) where name.hasSuffix(Self.partialSuffix) {
            try Folder.remove(directory + "/" + name)
        }
    }

    /// The finished copies, by name.
    package func stores() throws -> [StagedStore] {
        try Folder.names(in: directory).filter { !$0.hasSuffix(Self.partialSuffix) }.compactMap {
            try StagedStore(in: directory + "/" + $0)
        }
    }

    /// Removes a copy that is no longer wanted; a crash half way leaves nothing that looks finished.
    package func remove(_ store: StagedStore) throws {
        let doomed = store.directory + Self.partialSuffix
        try Folder.rename(store.directory, to: doomed)
        try Folder.remove(doomed)
    }

    /// Copies the store at `source`, an absolute path, and checks the copy.
    /// - Parameter step: called after each step; what it throws ends the work there.
    /// - Throws: `ImportError`; what was copied of a file that is refused is gone then.
    package func stage(_ source: String, after step: (Step) throws -> Void = { _ in }) throws -> StagedStore {
        do { return try stageWhole(source, after: step) } catch let error as ImportError {
            try Folder.remove(partial)
            throw error
        }
    }

    private func stageWhole(_ source: String, after step: (Step) throws -> Void) throws -> StagedStore {
        let source = try LegacySource(found: source)
        try step(.found)
        var (store, circumstances) = try copy(source, after: step)
        try step(.copied)
        if let existing = try StagedStore(in: directory + "/" + store.identifier) {
            try Folder.remove(partial)
            return existing
        }
        let notes = try StagedDatabase(path: partial + "/" + store.fileName, source: source.path)
            .settle(circumstances)
        store = StagedStore(
            identifier: store.identifier, fileName: store.fileName, source: store.source, digest: store.digest,
            byteCount: store.byteCount, notes: store.notes + notes)
        try step(.settled)
        let manifest = try OpenFile.creating(partial + "/" + StagedStore.manifestName)
        try manifest.write(try store.manifest())
        try manifest.synchronize()
        try Folder.synchronize(partial)
        try step(.manifestWritten)
        store.directory = directory + "/" + store.identifier
        try Folder.rename(partial, to: store.directory)
        try step(.renamed)
        return store
    }

    /// Copies until nobody wrote in between.
    private func copy(_ source: LegacySource, after step: (Step) throws -> Void) throws -> (StagedStore, WriteAheadLog.Circumstances) {
        for attempt in 1...Self.attemptCountMax {
            try Folder.remove(partial)
            try Folder.make(partial)
            let before = try source.fingerprint()
            let circumstances = try WriteAheadLog.Circumstances(source)
            var copy = SourceCopy()
            try copy.copy(source, into: partial)
            try step(.attempted)
            guard try source.fingerprint() == before else {
                if attempt < Self.attemptCountMax { pause(attempt) }
                continue
            }
            let byteCount = copy.byteCount
            let notes = copy.skipped.isEmpty ? [] : [StagingNote.skippedInSupport(names: Array(copy.skipped.prefix(20)))]
            let digest = copy.finish().hexadecimal
            let store = StagedStore(
                identifier: String(digest.prefix(32)), fileName: source.name, source: source.path, digest: digest,
                byteCount: byteCount, notes: notes)
            return (store, circumstances)
        }
        try Folder.remove(partial)
        throw ImportError.keepsChanging(path: source.path, attempts: Self.attemptCountMax)
    }
}
