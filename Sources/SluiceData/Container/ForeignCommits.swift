import Foundation
import SluiceSQLite
import SluiceStore

extension OpenStore {
    /// Calls `body` after each commit to the store, whoever makes it: on the thread that noticed it. `body` must not wait.
    /// - Parameter noteWriting: called for each commit of this process before anybody can know of it by `settledPosition`.
    func listen(
        noteWriting: (@Sendable (StoreCommit) -> Void)? = nil, _ body: @escaping @Sendable (StoreCommit) -> Void
    ) -> Listening {
        changes.listen(watchingBy: makeWatch, noteWriting: noteWriting, body)
    }

    /// A position of the log up to which every commit of this process has been announced.
    func settledPosition() throws -> Int64 { isWritable ? try write { try $0.lastChange() } : .max }

    /// nil for a store that no other process can reach.
    private func makeWatch() -> StoreWatch? {
        guard !configuration.isStoredInMemoryOnly else { return nil }
        let version = DataVersion()
        return StoreWatch(
            path: configuration.url.path(percentEncoded: false),
            hasNews: { [weak self] in
                guard let self else { return false }
                return version.moved(to: try self.dataVersion(readingBy: version))
            },
            onCommit: { [weak self] in self?.noteForeignCommit() })
    }

    /// The number that SQLite changes when somebody other than the asking connection commits. Asked of the connection that writes, where there is
    /// one: then our own commits do not count.
    private func dataVersion(readingBy version: DataVersion) throws -> Int64 {
        guard isWritable else {
            let connection = try version.connection ?? Connection(path: configuration.url.path(percentEncoded: false), mode: .readOnly)
            version.connection = connection
            return try connection.dataVersion()
        }
        return try write { try $0.connection.dataVersion() }
    }

    /// When the files were last written, in milliseconds since 1970. Asks for their dates only; nothing is opened.
    var lastWrite: Int64 {
        let path = configuration.url.path(percentEncoded: false)
        let dates = [path, path + "-wal"].compactMap { path in
            // A file that is not there was never written.
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
        return Int64(((dates.max() ?? Date()).timeIntervalSince1970 * 1_000).rounded())
    }
}

/// What the watch of one store remembers from look to look.
private final class DataVersion: @unchecked Sendable {
    // Sendable: touched on the watch's queue only.

    private var last: Int64?
    var connection: Connection?

    /// Whether the number is another one than before; the first is no news.
    func moved(to version: Int64) -> Bool {
        defer { last = version }
        return last != nil && last != version
    }
}
