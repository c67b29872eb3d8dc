// Places at which a test may end the process, as `kill -9` would. Only in debug builds: in a release `pass` is empty.
//
// `SLUICE_FAILPOINT=committed:3` kills the process when it passes `committed` for the third time; `committed:3:stop` halts it there, as
// `kill -STOP` would, for tests that look at what it has left so far. The variable is read once.

#if DEBUG
    import Glibc
    import Synchronization
#endif

/// A line of code after or before which the state of disk or network is different.
package enum Failpoint: String, CaseIterable, Sendable {
    /// Before and after the outermost COMMIT of any store of ours: the synced one, a local one, the service's.
    case committing, committed
    /// Before and after a file is renamed to its final name.
    case renaming, renamed
    /// The coordinator is about to send a request; it has the answer, and nothing is recorded yet.
    case sending, answered
    /// The service has committed, and has not answered.
    case replying
    /// A migration holds the write lock and has changed nothing; it has made one more of its structural steps.
    case migrationBegun, migrationStepped
    /// A restore has kept the store that it replaces, and replaced nothing; it has replaced it.
    case restoreKept, restored

    /// Ends the process here if a test wants it so.
    @inline(__always)
    package static func pass(_ point: Failpoint) {
        #if DEBUG
            Hits.shared.pass(point)
        #endif
    }
}

#if DEBUG
    private final class Hits: Sendable {
        static let shared = Hits()

        private let wanted: (point: Failpoint, count: Int, signal: Int32)?
        private let counts = Mutex<[Failpoint: Int]>([:])

        private init() {
            guard let text = getenv("SLUICE_FAILPOINT").map({ String(cString: $0) }) else {
                wanted = nil
                return
            }
            let parts = text.split(separator: ":")
            let signal = parts.count == 3 && parts[2] == "stop" ? SIGSTOP : SIGKILL
            guard parts.count == (signal == SIGSTOP ? 3 : 2), let point = Failpoint(rawValue: String(parts[0])), let count = Int(parts[1]), count > 0 else {
                // A test that names no failpoint tests nothing; it must not pass.
                let complaint = "SLUICE_FAILPOINT: \(text) is no failpoint\n"
                _ = write(2, complaint, complaint.utf8.count)
                exit(64)
            }
            wanted = (point, count, signal)
        }

        func pass(_ point: Failpoint) {
            guard let wanted, wanted.point == point else { return }
            let count = counts.withLock { counts in
                counts[point, default: 0] += 1
                return counts[point, default: 0]
            }
            if count == wanted.count { kill(getpid(), wanted.signal) }
        }
    }
#endif
