// When a program joins a group, its default store moves along: SwiftData copies it into the group container, once, and so do we (articles
// 000 and 002). A store at a URL of the program's own choice is the program's to move.

import Foundation
import SluiceSchema
import SluiceSQLite
import SluiceStore

/// Copies the program's default store into a group container that has none yet.
struct DefaultStoreCopy {
    private let source: URL
    private let target: URL

    /// nil where there is nothing to copy.
    init?(_ configuration: ModelConfiguration, locations: StoreLocations = .current) {
        guard configuration.groupAppContainerIdentifier != nil, configuration.allowsSave, !configuration.hasCustomURL,
            !configuration.isStoredInMemoryOnly, configuration.cloudKitDatabase.identifier == nil
        else { return nil }
        source = locations.storeURL(named: configuration.name)
        target = configuration.url
        let files = FileManager.default
        guard !files.fileExists(atPath: target.path), files.fileExists(atPath: source.path) else { return nil }
    }

    /// Takes one consistent state of the store, checks it, and puts it in place under its name. Interrupted anywhere, the next run starts
    /// again; the original stays where it is.
    /// - Throws: `SQLiteError`, `DatabaseCopyFailure` or `SwiftDataError.loadIssueModelContainer`; the group container then has no store.
    func run() throws {
        let files = FileManager.default
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        let partial = target.deletingLastPathComponent().appending(path: ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).partial")
        defer { removeAll(partial) }
        removeAll(partial)
        try copy(to: partial)
        try copyExternalValues(neededBy: partial)
        // Whoever was faster has the store in place already.
        guard link(partial.path(percentEncoded: false), target.path(percentEncoded: false)) == 0 || errno == EEXIST else {
            throw SwiftDataError.loadIssueModelContainer.because(
                "\(target.path) could not be made from the default store \(source.path): \(String(cString: strerror(errno)))")
        }
    }

    private func copy(to partial: URL) throws {
        let original = try Connection(path: source.path(percentEncoded: false), mode: .readOnly)
        try StoreHeader.check(original)
        do { try original.copyDatabase(to: partial.path(percentEncoded: false)) } catch let failure as DatabaseCopyFailure {
            guard case .damaged(let faults) = failure.reason else { throw failure }
            throw SwiftDataError.loadIssueModelContainer.because(
                "the default store \(source.path) is damaged and was not copied: \(faults.first ?? "unknown")")
        }
    }

    /// Large values lie beside the store. They are in place before the store has its name; a crash leaves files that the store's upkeep
    /// removes.
    private func copyExternalValues(neededBy partial: URL) throws {
        let path = partial.path(percentEncoded: false)
        guard let source = ExternalValues(besideStore: source.path(percentEncoded: false)),
            let target = ExternalValues(besideStore: target.path(percentEncoded: false))
        else { return }
        let copy = try Connection(path: path, mode: .readOnly)
        try ExternalValueWriter(target, besideStore: path).bringAll(neededBy: copy, from: source)
    }

    private func removeAll(_ file: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // Mostly there is nothing; what stays is tried again by the next copy.
            try? FileManager.default.removeItem(atPath: file.path(percentEncoded: false) + suffix)
        }
    }
}
