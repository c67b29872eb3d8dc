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
        // A group container whose store is gone for the moment is watched from the next listener on.
        guard let path = (try? currentPath) ?? nil else { return nil }
        let version = DataVersion()
        return StoreWatch(
            path: path,
            hasNews: { [weak self] in
                guard let self else { return false }
                return version.moved(to: try self.dataVersion(readingBy: version))
            },
            onCommit: { [weak self] in self?.noteForeignCommit() })
    }

    /// The number that SQLite changes when somebody other than the asking connection commits. Asked of the connection that writes, where
    /// there is one: then our own commits do not count. A store that was replaced by another file starts anew.
    private func dataVersion(readingBy version: DataVersion) throws -> DataVersion.State {
        if isWritable { return DataVersion.State(path: "", number: try write { try $0.connection.dataVersion() }) }
        let path = try currentPath ?? ""
        let connection = try version.connection.flatMap { $0.path == path ? $0 : nil } ?? Connection(path: path, mode: .readOnly)
        version.connection = connection
        return DataVersion.State(path: path, number: try connection.dataVersion())
    }

    /// When the files were last written, in milliseconds since 1970. Asks for their dates only; nothing is opened.
    var lastWrite: Int64 {
        // A file that is not there was never written.
        let path = (try? currentPath) ?? ""
        let dates = [path, path + "-wal"].compactMap { path in
            (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        }
        return Int64(((dates.max() ?? Date()).timeIntervalSince1970 * 1_000).rounded())
    }
}

/// What the watch of one store remembers from look to look.
private final class DataVersion: @unchecked Sendable {
    // Sendable: touched on the watch's queue only.

    struct State: Equatable {
        let path: String
        let number: Int64
    }

    private var last: State?
    var connection: Connection?

    /// Whether it is another one than before; the first is no news.
    func moved(to state: State) -> Bool {
        defer { last = state }
        return last != nil && last != state
    }
}
