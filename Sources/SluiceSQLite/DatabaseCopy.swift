// A whole database as one new file: the only way in which stores are copied. Readers and writers of the source go on meanwhile; the copy is
// one consistent state of it, log included.

import CSQLite
import Glibc

/// How a copy of a database is checked.
package enum DatabaseCopyCheck: Sendable {
    /// Every page is read and must be sound: nothing that the copying did to it stays hidden.
    case pages
    /// Also compares every index with its table. What only that finds is wrong in the source too. Takes ten times as long where a table has an
    /// index over random values.
    case integrity
}

extension Connection {
    /// Copies the database at `source` into a new file at `copy`: one file without a log beside it, checked, and on the disk when this
    /// returns.
    ///
    /// The source is only read. Nothing is left at `copy` where this throws. Whoever wants to give the copy its final name syncs the
    /// directory.
    /// - Parameter progress: called after each step with pages left and pages in all; what it throws ends the copying and is thrown.
    /// - Throws: `DatabaseCopyFailure`.
    package static func copyDatabase(
        from source: String, to copy: String, checking check: DatabaseCopyCheck = .integrity,
        progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        let connection: Connection
        do { connection = try Connection(path: source, mode: .readOnly) } catch {
            throw DatabaseCopyFailure(source: source, copy: copy, reason: .sqlite(error), neededByteCount: 0)
        }
        try connection.copyDatabase(to: copy, checking: check, progress: progress)
    }

    /// The same from a connection that is open already, such as one that keeps all others out.
    package func copyDatabase(
        to copy: String, checking check: DatabaseCopyCheck = .integrity, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        let needed = (try? byteCount) ?? 0  // A size that cannot be read is told by the copying itself.
        func failure(_ reason: DatabaseCopyFailure.Reason) -> DatabaseCopyFailure {
            DatabaseCopyFailure(source: path, copy: copy, reason: reason, neededByteCount: needed)
        }
        guard access(copy, F_OK) != 0 else { throw failure(.system("making it", EEXIST)) }
        do {
            try fill(copy, progress)
            let made = try Connection(path: copy, mode: .readOnly)
            let faults = try check == .pages ? made.quickFaults() : made.integrityFaults()
            guard faults.isEmpty else { throw failure(.damaged(faults)) }
            if let code = Self.writeToDisk(copy) { throw failure(.system("writing it to disk", code)) }
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copy + suffix) }
            guard let error = error as? SQLiteError else { throw error }
            let isDamage = ResultCode.corrupt ~= error.code || ResultCode.notADatabase ~= error.code
            throw failure(isDamage ? .damaged([error.message]) : .sqlite(error))
        }
    }

    /// How many bytes the database takes as one file, with what stands in its log.
    package var byteCount: Int {
        get throws(SQLiteError) { Int(try integer("PRAGMA page_count") * integer("PRAGMA page_size")) }
    }

    private func fill(_ copy: String, _ progress: (Int, Int) throws -> Void) throws {
        let destination = try Connection(path: copy, mode: .create)
        // The file is synced once, when it is whole; one that is not is removed.
        try destination.execute("PRAGMA synchronous = OFF")
        try backUp(into: destination, progress: progress)
        try destination.execute("PRAGMA journal_mode = DELETE")
    }

    /// No connection has the file open: closing a descriptor of one that is open would drop its locks.
    /// - Returns: the error's number; nil where the bytes are on the disk.
    private static func writeToDisk(_ path: String) -> Int32? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? nil : errno
    }
}

/// Why a database could not be copied.
package struct DatabaseCopyFailure: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case sqlite(SQLiteError)
        /// What the copy's check found. A copy has the faults of what it was made from.
        case damaged([String])
        /// A system call, as in "writing it to disk", and its error's number.
        case system(String, Int32)
    }

    /// The file that was to be copied.
    package let source: String
    /// The file that was to be made; it is not there.
    package let copy: String
    package let reason: Reason
    /// About as many bytes as the copy takes; 0 where the source could not be read.
    package let neededByteCount: Int

    /// Whether making room would help.
    package var isDiskFull: Bool {
        switch reason {
        case .sqlite(let error): ResultCode.full ~= error.code
        case .system(_, let code): code == ENOSPC || code == EDQUOT
        case .damaged: false
        }
    }
}

extension DatabaseCopyFailure: CustomStringConvertible {
    package var description: String {
        let text = "\(source) could not be copied to \(copy): \(reason)"
        guard isDiskFull else { return text }
        return "\(text). The copy needs about \(neededByteCount.inMebibytes): make room, then try again"
    }
}

extension DatabaseCopyFailure.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sqlite(let error): error.description
        case .damaged(let faults): "it is damaged (\(faults.first ?? "unknown"))"
        case .system(let operation, let code): "\(operation) failed: \(String(cString: strerror(code)))"
        }
    }
}
