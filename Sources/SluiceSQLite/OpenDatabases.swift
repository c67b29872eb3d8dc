// Which database files this process has open. Closing any other descriptor of such a file, or of its index, drops the locks that SQLite holds
// on it for the whole process (https://www.sqlite.org/howtocorrupt.html, section 2.2), so whoever is about to open a file that somebody else
// named asks here first. By device and inode: links and other spellings of a path lead to one file.

import CSQLite
import Glibc
import Synchronization

/// The register of open database files, kept by `Connection`. May be asked from any thread.
package enum OpenDatabases {
    struct File: Equatable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        /// Nil where nothing is at `path`.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private struct Entry {
        let file: File
        let path: String
        var connectionCount: Int
    }

    /// Guards the entries. A process has a few files open; a dictionary would cost a helper more at its start than it saves.
    private static let entries = Mutex<[Entry]>([])
    private static let companions = ["-wal", "-shm", "-journal"]

    /// - Returns: what `remove` is given when the connection has closed; nil for a database without a file.
    static func add(_ handle: OpaquePointer) -> File? {
        guard let name = sqlite3_db_filename(handle, "main") else { return nil }
        let path = String(cString: name)
        guard !path.isEmpty, let file = File(path) else { return nil }
        entries.withLock { entries in
            if let position = entries.firstIndex(where: { $0.file == file }) {
                entries[position].connectionCount += 1
            } else {
                entries.append(Entry(file: file, path: path, connectionCount: 1))
            }
        }
        return file
    }

    static func remove(_ file: File) {
        entries.withLock { entries in
            guard let position = entries.firstIndex(where: { $0.file == file }) else { return }
            entries[position].connectionCount -= 1
            if entries[position].connectionCount == 0 { entries.remove(at: position) }
        }
    }

    /// The database of this process that the file at `path` is, or lies beside as its log, index or journal; nil where it is none.
    package static func database(holding path: String) -> String? {
        guard let file = File(path) else { return nil }
        return entries.withLock { entries in
            if let entry = entries.first(where: { $0.file == file }) { return entry.path }
            return entries.first { entry in companions.contains { File(entry.path + $0) == file } }?.path
        }
    }
}
