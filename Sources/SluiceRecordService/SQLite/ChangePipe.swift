// Between a command that writes to an embedded service's file and the process that serves it: whose database has changed. The word goes through a named
// pipe in the data directory, which the server reads and commands write to; where nobody serves, nobody reads, and nothing is to be told.

import CShims
import Dispatch
import Foundation
import Glibc
import SluiceRecords

/// What a storage does with the pipe.
package enum ChangePipe: Sendable {
    /// The path of the pipe; the process serves.
    case heard(String)
    /// The process does one thing and ends.
    case told(String)

    /// Tells who serves what has changed. Word that does not get through is found out at the client's next look, as without a pipe.
    static func tell(_ databases: [DatabaseID], at path: String) {
        guard !databases.isEmpty else { return }
        let descriptor = sluice_open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        for database in databases {
            var number = database.rawValue
            // Eight bytes go whole or not at all (pipe(7), PIPE_BUF).
            _ = write(descriptor, &number, 8)
        }
    }
}

/// Reads the pipe for as long as it lives.
final class ChangeListener: Sendable {
    /// Unchecked: set up in `init`, then only cancelled in `deinit`; dispatch sources are safe to use from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// - Throws: `StorageError` where the pipe cannot be made.
    init(at path: String, _ changed: @escaping @Sendable (DatabaseID) -> Void) throws(StorageError) {
        guard mkfifo(path, 0o600) == 0 || errno == EEXIST else { throw Self.failure(path) }
        // Open for writing too, so that the pipe does not end with each writer (fifo(7)).
        let descriptor = sluice_open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw Self.failure(path) }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "sluice.records.changes"))
        source.setEventHandler {
            var number: Int64 = 0
            while read(descriptor, &number, 8) == 8 { changed(DatabaseID(rawValue: number)) }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    private static func failure(_ path: String) -> StorageError { .unavailable("\(path): \(String(cString: strerror(errno)))") }
}
