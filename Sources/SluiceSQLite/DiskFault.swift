// A disk that fails when a test wants it to. Only in debug builds; in a release there is nothing here.
//
// `SLUICE_DISK_FAULT=full:120` makes the 120th write and the four after it fail as on a full disk (SQLITE_FULL); `write:N` fails them
// with an I/O error, `sync:N` fails the Nth sync and the four after it. Afterwards the disk is well again. The variable is read once; a
// process that it made the disk fail for may `arm` another fault, counted from there.
//
// A VFS of ours lets SQLite's own open every file (https://www.sqlite.org/vfs.html) and an observer see what happens to it (FileObserver).

#if DEBUG
    import CSQLite
    import FoundationEssentials
    import Glibc
    import Synchronization

    package enum DiskFault {
        private struct Plan: Sendable {
            let write: FileFailure?
            let sync: FileFailure?
            let first: Int
        }

        private static let faultCount = 5
        private static let initial = getenv("SLUICE_DISK_FAULT").map { read(String(cString: $0)) }
        /// nil: the disk never fails, and files are SQLite's own.
        private static let plan = Mutex<Plan?>(initial)

        private static func read(_ text: String) -> Plan {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let first = Int(parts[1]), first > 0 else { complain(text) }
            switch parts[0] {
            case "full": return Plan(write: .full, sync: nil, first: first)
            case "write": return Plan(write: .write, sync: nil, first: first)
            case "sync": return Plan(write: nil, sync: .sync, first: first)
            default: complain(text)
            }
        }

        /// Fails other writes from now on, in a process that was started with a fault.
        package static func arm(_ text: String) {
            plan.withLock { $0 = read(text) }
            passed.store(0, ordering: .relaxed)
        }

        /// Writes, or syncs, since a fault was last armed.
        package static var passedCount: Int { passed.load(ordering: .relaxed) }

        /// A test that names no fault tests nothing; it must not pass.
        private static func complain(_ text: String) -> Never {
            let complaint = "SLUICE_DISK_FAULT: \(text) is no fault\n"
            _ = Glibc.write(2, complaint, complaint.utf8.count)
            exit(64)
        }

        private static let passed = Atomic(0)

        /// Makes the failing disk the one that connections use; called before each opens.
        static func install() { _ = installed }

        private static let installed: Void = {
            guard initial != nil, let base = sqlite3_vfs_find(nil) else { return }
            let shim = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
            shim.initialize(to: base.pointee)
            shim.pointee.zName = UnsafePointer(strdup("sluice-fault"))
            shim.pointee.pNext = nil
            shim.pointee.xOpen = { vfs, name, file, flags, outFlags in
                guard let base = sqlite3_vfs_find("unix"), let file else { return SQLITE_ERROR }
                let code = base.pointee.xOpen(base, name, file, flags, outFlags)
                if code == SQLITE_OK { ObservedFiles.add(file, flags & SQLITE_OPEN_WAL == 0 ? .database : .log, Faults()) }
                return code
            }
            sqlite3_vfs_register(shim, 1)
        }()

        private final class Faults: FileObserver {
            func willWrite(_ bytes: Data, at offset: Int64, over former: Data, of size: Int64, to file: ObservedFile) -> FileFailure? {
                DiskFault.failure(\.write)
            }
            func willSync(_ file: ObservedFile) -> FileFailure? { DiskFault.failure(\.sync) }
            func willTruncate(to size: Int64, losing lost: Data, _ file: ObservedFile) {}
            func didSync(_ file: ObservedFile) {}
        }

        /// What to fail with; nil to go on.
        private static func failure(_ step: KeyPath<Plan, FileFailure?>) -> FileFailure? {
            guard let plan = plan.withLock({ $0 }), let failure = plan[keyPath: step] else { return nil }
            let count = passed.wrappingAdd(1, ordering: .relaxed).newValue
            return (plan.first..<plan.first + faultCount).contains(count) ? failure : nil
        }
    }
#endif
