// Looking at, and failing, what SQLite does to files: for disks that are simulated, and for those that a test makes fail (DiskFault).
//
// SQLite's own VFS has opened the file; its table of methods is replaced by one in which writing, truncating and syncing pass through an observer
// first (https://www.sqlite.org/c3ref/io_methods.html). Everything else goes where it went.

import CSQLite
package import FoundationEssentials
import Synchronization

package enum ObservedFile: Hashable, Sendable {
    case database, log
}

/// What SQLite is told of a disk that does not do what it should.
package enum FileFailure: Sendable {
    case full, write, sync

    fileprivate var code: Int32 {
        switch self {
        case .full: SQLITE_FULL
        // SQLITE_IOERR_WRITE and SQLITE_IOERR_FSYNC are macros that Swift does not import.
        case .write: SQLITE_IOERR | (3 << 8)
        case .sync: SQLITE_IOERR | (4 << 8)
        }
    }
}

/// Called on the connection's thread.
package protocol FileObserver: AnyObject, Sendable {
    /// - Parameters:
    ///   - former: the bytes that stand there, as far as the file goes.
    ///   - size: of the file, in bytes.
    /// - Returns: what SQLite is told instead, and nothing is written; nil lets it be.
    func willWrite(_ bytes: Data, at offset: Int64, over former: Data, of size: Int64, to file: ObservedFile) -> FileFailure?
    /// - Parameter lost: the bytes behind the new end.
    func willTruncate(to size: Int64, losing lost: Data, _ file: ObservedFile)
    /// - Returns: what SQLite is told instead, and nothing is synced; nil lets it be.
    func willSync(_ file: ObservedFile) -> FileFailure?
    func didSync(_ file: ObservedFile)
}

extension Connection {
    /// Lets an observer see what happens to the files of this connection from now on. It is kept until the connection is closed.
    /// - Throws: `SQLiteError` where the connection has no files.
    package func observeFiles(_ observer: any FileObserver) throws(SQLiteError) {
        for (file, code) in [(ObservedFile.database, SQLITE_FCNTL_FILE_POINTER), (.log, SQLITE_FCNTL_JOURNAL_POINTER)] {
            var pointer: UnsafeMutablePointer<sqlite3_file>?
            let result = sqlite3_file_control(handle, "main", code, &pointer)
            guard result == SQLITE_OK, let pointer, pointer.pointee.pMethods != nil else {
                throw SQLiteError(code: ResultCode(rawValue: result), message: "it has no such file", path: path)
            }
            ObservedFiles.add(pointer, file, observer)
        }
    }

    /// What the file holds, without opening it once more: closing it again would let go of this process's locks.
    package func contents(of file: ObservedFile) throws(SQLiteError) -> Data {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        let code = file == .database ? SQLITE_FCNTL_FILE_POINTER : SQLITE_FCNTL_JOURNAL_POINTER
        guard sqlite3_file_control(handle, "main", code, &pointer) == SQLITE_OK, let pointer else { return Data() }
        return ObservedFiles.bytes(of: pointer, from: 0, count: .max)
    }
}

/// Files whose methods are replaced.
enum ObservedFiles {
    private struct Entry: Sendable {
        let observer: any FileObserver
        let file: ObservedFile
        /// The address of SQLite's own table.
        let methods: UInt
    }

    /// By the address of SQLite's file.
    private static let entries = Mutex<[UInt: Entry]>([:])
    /// Patched tables by the addresses of what they were made of; they live as long as the process.
    private static let tables = Mutex<[UInt: UInt]>([:])

    typealias File = UnsafeMutablePointer<sqlite3_file>
    private typealias Methods = UnsafePointer<sqlite3_io_methods>

    /// From now on until the file is closed.
    static func add(_ file: File, _ kind: ObservedFile, _ observer: any FileObserver) {
        guard let methods = file.pointee.pMethods, entry(file) == nil else { return }
        entries.withLock { $0[UInt(bitPattern: file)] = Entry(observer: observer, file: kind, methods: UInt(bitPattern: methods)) }
        file.pointee.pMethods = patched(methods)
    }

    private static func entry(_ file: File?) -> Entry? { entries.withLock { $0[UInt(bitPattern: file)] } }
    private static func methods(_ file: File?) -> sqlite3_io_methods? {
        guard let file else { return nil }
        let address = entry(file)?.methods ?? UInt(bitPattern: file.pointee.pMethods)
        return Methods(bitPattern: address)?.pointee
    }

    private static func size(of file: File?) -> Int64 {
        var size: sqlite3_int64 = 0
        return methods(file)?.xFileSize(file, &size) == SQLITE_OK ? size : 0
    }

    /// What stands from that offset on, as far as the file goes.
    static func bytes(of file: File?, from offset: Int64, count: Int64) -> Data {
        let length = max(0, min(count, size(of: file) - offset))
        guard length > 0, let methods = methods(file) else { return Data() }
        var bytes = Data(count: Int(length))
        let code = bytes.withUnsafeMutableBytes { methods.xRead(file, $0.baseAddress, Int32(length), offset) }
        return code == SQLITE_OK ? bytes : Data()
    }

    private static func patched(_ methods: Methods) -> Methods {
        let original = UInt(bitPattern: methods)
        let address = tables.withLock { tables in
            if let known = tables[original] { return known }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            // Pages that are written through a mapping would pass nobody.
            copy.pointee.iVersion = min(copy.pointee.iVersion, 2)
            copy.pointee.xWrite = { file, bytes, count, offset in
                guard let entry = ObservedFiles.entry(file), let bytes else { return FileFailure.write.code }
                let failure = entry.observer.willWrite(
                    Data(bytes: bytes, count: Int(count)), at: offset, over: ObservedFiles.bytes(of: file, from: offset, count: Int64(count)),
                    of: ObservedFiles.size(of: file), to: entry.file)
                return failure?.code ?? ObservedFiles.methods(file)?.xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
            }
            copy.pointee.xTruncate = { file, size in
                if let entry = ObservedFiles.entry(file) {
                    entry.observer.willTruncate(to: size, losing: ObservedFiles.bytes(of: file, from: size, count: .max), entry.file)
                }
                return ObservedFiles.methods(file)?.xTruncate(file, size) ?? SQLITE_IOERR
            }
            copy.pointee.xSync = { file, flags in
                if let entry = ObservedFiles.entry(file), let failure = entry.observer.willSync(entry.file) { return failure.code }
                let code = ObservedFiles.methods(file)?.xSync(file, flags) ?? SQLITE_IOERR
                if code == SQLITE_OK, let entry = ObservedFiles.entry(file) { entry.observer.didSync(entry.file) }
                return code
            }
            copy.pointee.xClose = { file in
                let methods = ObservedFiles.methods(file)
                ObservedFiles.entries.withLock { $0[UInt(bitPattern: file)] = nil }
                return methods?.xClose(file) ?? SQLITE_IOERR
            }
            tables[original] = UInt(bitPattern: copy)
            return UInt(bitPattern: copy)
        }
        return Methods(bitPattern: address) ?? methods
    }
}
