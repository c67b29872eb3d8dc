// How commits of other processes are noticed. The kernel says that the write-ahead log was written; whether that was a commit, and
// somebody else's, SQLite's data version says. The log is written before the commit counts, and the step that makes it count writes
// shared memory, which the kernel tells nobody about: so after each sign of life the version is looked at again a few times, at growing
// distance, and from then on twice a minute. A writer may be held up between the two for as long as a machine can be busy.

import Dispatch
import Foundation
import SluiceReader
import SluiceSQLite

/// Watches one store's files for commits of other processes.
final class StoreWatch: @unchecked Sendable {
    // Sendable: everything that changes is touched on `queue` only, which runs one thing at a time.

    private let queue = DispatchQueue(label: "SluiceData.StoreWatch")
    private let fileName: String
    /// Whether another connection committed since it was last asked.
    private let hasNews: () throws -> Bool
    private let onCommit: () -> Void
    private var directory: DirectoryWatch?
    /// The look that comes next.
    private var next: DispatchWorkItem?
    private var lastLook = DispatchTime(uptimeNanoseconds: 0)
    private var isCancelled = false

    /// When to look again after the files were written last.
    private static let delays: [DispatchTimeInterval] = [
        .milliseconds(5), .milliseconds(20), .milliseconds(100), .milliseconds(500), .seconds(2), .seconds(10),
    ]
    /// Between two looks where nothing stirs.
    private static let restInterval = DispatchTimeInterval.seconds(30)
    private static let numberedPrefix = "Local."
    /// Between two looks, where the kernel cannot watch.
    private static let pollInterval = DispatchTimeInterval.seconds(1)
    /// A writer that never rests makes us look this often, not more.
    private static let shortestInterval: UInt64 = 2_000_000

    /// - Parameters:
    ///   - hasNews: called on the watch's own queue, one call at a time.
    ///   - onCommit: called there too.
    init(path: String, hasNews: @escaping @Sendable () throws -> Bool, onCommit: @escaping @Sendable () -> Void) {
        let url = URL(filePath: path)
        fileName = url.lastPathComponent
        self.hasNews = hasNews
        self.onCommit = onCommit
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        queue.async { [weak self] in self?.start(folder) }
    }

    /// No call of `onCommit` begins after the one that may be under way.
    func cancel() {
        queue.async {
            self.isCancelled = true
            self.directory = nil
            self.next?.cancel()
            self.next = nil
        }
    }

    private func start(_ folder: String) {
        guard !isCancelled else { return }
        directory = DirectoryWatch(of: folder, queue: queue) { [weak self] names in self?.noteWriting(names) }
        // What was committed before is nobody's news.
        _ = look()
        if directory == nil { poll() } else { schedule(Self.delays.count) }
    }

    private func noteWriting(_ names: Set<String>?) {
        guard !isCancelled else { return }
        guard names?.contains(where: isOfStore) ?? true else { return }
        if DispatchTime.now().uptimeNanoseconds - lastLook.uptimeNanoseconds > Self.shortestInterval { tellIfNew() }
        schedule(0)
    }

    /// The store's own files, and in a group container the pointer to the store that is current.
    private func isOfStore(_ name: String) -> Bool {
        if name == LocalStoreFile.pointerName || name.hasPrefix(Self.numberedPrefix) { return true }
        return ["", "-wal", "-journal"].contains { name == fileName + $0 }
    }

    private func schedule(_ step: Int) {
        next?.cancel()
        let item = DispatchWorkItem { [weak self] in
            guard let self, !isCancelled else { return }
            tellIfNew()
            schedule(min(step + 1, Self.delays.count))
        }
        next = item
        let delay = step < Self.delays.count ? Self.delays[step] : Self.restInterval
        queue.asyncAfter(deadline: .now() + delay, execute: item)
    }

    private func poll() {
        let item = DispatchWorkItem { [weak self] in
            guard let self, !isCancelled else { return }
            tellIfNew()
            poll()
        }
        next = item
        queue.asyncAfter(deadline: .now() + Self.pollInterval, execute: item)
    }

    private func tellIfNew() {
        if look() { onCommit() }
    }

    private func look() -> Bool {
        lastLook = .now()
        // A store that cannot be read just now (busy, or replaced) is looked at again at its next sign of life.
        return (try? hasNews()) ?? false
    }
}
