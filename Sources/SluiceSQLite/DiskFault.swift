// A disk that fails when a test wants it to. Only in debug builds; in a release there is nothing here.
//
// `SLUICE_DISK_FAULT=full:120` makes the 120th write and the four after it fail as on a full disk (SQLITE_FULL); `write:N` fails them
// with an I/O error, `sync:N` fails the Nth sync and the four after it. Afterwards the disk is well again. The variable is read once; a
// process that it made the disk fail for may `arm` another fault, counted from there.
//
// SQLite's own VFS opens every file; the shim then gives the file a table of methods in which writing and syncing are ours
// (https://www.sqlite.org/vfs.html). Everything else goes where it went.

#if DEBUG
    import CSQLite
    import Glibc
    import Synchronization

    package enum DiskFault {
        private struct Plan: Sendable {
            let writeCode: Int32?
            let syncCode: Int32?
            let first: Int
        }

        /// Addresses of a table of methods and of its patched twin. Tables live as long as the process.
        private struct Twins {
            let original: UInt
            let patched: UInt
        }

        private static let faultCount = 5
        private static let initial = getenv("SLUICE_DISK_FAULT").map { read(String(cString: $0)) }
        /// nil: the disk never fails, and files are SQLite's own.
        private static let plan = Mutex<Plan?>(initial)

        private static func read(_ text: String) -> Plan {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let first = Int(parts[1]), first > 0 else { complain(text) }
            switch parts[0] {
            case "full": return Plan(writeCode: SQLITE_FULL, syncCode: nil, first: first)
            case "write": return Plan(writeCode: SQLITE_IOERR | (3 << 8), syncCode: nil, first: first)
            case "sync": return Plan(writeCode: nil, syncCode: SQLITE_IOERR | (4 << 8), first: first)
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
        /// The methods of SQLite's files, and their patched twins. Guards the list.
        private static let tables = Mutex<[Twins]>([])

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
                if code == SQLITE_OK, let methods = file.pointee.pMethods { file.pointee.pMethods = DiskFault.patched(methods) }
                return code
            }
            sqlite3_vfs_register(shim, 1)
        }()

        private typealias Methods = UnsafePointer<sqlite3_io_methods>

        private static func patched(_ methods: Methods) -> Methods {
            let original = UInt(bitPattern: methods)
            let known = tables.withLock { tables in tables.first { $0.original == original }?.patched }
            if let known, let table = Methods(bitPattern: known) { return table }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            copy.pointee.xWrite = { file, bytes, count, offset in
                if let code = DiskFault.fault(isWrite: true) { return code }
                return DiskFault.original(of: file)?.pointee.xWrite(file, bytes, count, offset) ?? SQLITE_ERROR
            }
            copy.pointee.xSync = { file, flags in
                if let code = DiskFault.fault(isWrite: false) { return code }
                return DiskFault.original(of: file)?.pointee.xSync(file, flags) ?? SQLITE_ERROR
            }
            let patched = UInt(bitPattern: copy)
            tables.withLock { $0.append(Twins(original: original, patched: patched)) }
            return Methods(copy)
        }

        private static func original(of file: UnsafeMutablePointer<sqlite3_file>?) -> Methods? {
            let table = UInt(bitPattern: file?.pointee.pMethods)
            let original = tables.withLock { tables in tables.first { $0.patched == table }?.original }
            return original.flatMap(Methods.init(bitPattern:))
        }

        /// The code to fail with; nil to go on.
        private static func fault(isWrite: Bool) -> Int32? {
            guard let plan = plan.withLock({ $0 }), let code = isWrite ? plan.writeCode : plan.syncCode else { return nil }
            let count = passed.wrappingAdd(1, ordering: .relaxed).newValue
            return (plan.first..<plan.first + faultCount).contains(count) ? code : nil
        }
    }
#endif
