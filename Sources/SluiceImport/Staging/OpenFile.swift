import Foundation
import Glibc
import SluiceSQLite

/// What the file system says about a path.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case regular = "regular file"
        case directory
        case link = "symbolic link"
        case fifo = "FIFO"
        case other = "device or socket"
    }

    package let kind: Kind
    let byteCount: Int
    let device: UInt64
    let inode: UInt64
    let modifiedSeconds: Int
    let modifiedNanoseconds: Int

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            default: .other
            }
        byteCount = Int(status.st_size)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        modifiedSeconds = Int(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
    }

    /// Nil where nothing is there. Does not follow a link at the end of the path.
    init?(ofPath path: String) throws(ImportError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .file(operation: "look at it", path: path, code: errno)
        }
        self.init(status)
    }
}

/// An open file that is read or written as plain bytes, closed when its owner lets go of it.
///
/// Only for legacy sources and for staged copies that no connection has open: a second descriptor of a live store would drop SQLite's
/// locks when it closes (see SluiceSQLite's OpenDatabases). People name the sources, so such a file is refused.
struct OpenFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens for reading; never waits on a FIFO, and leaves the access time alone where the system lets us.
    /// - Throws: `ImportError.openHere` for a database that this process has open, or what lies beside one.
    static func reading(_ path: String) throws(ImportError) -> OpenFile {
        if let database = OpenDatabases.database(holding: path) { throw .openHere(path: path, database: database) }
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(path, flags | Self.keepAccessTime)
        if descriptor < 0, errno == EPERM { descriptor = open(path, flags) }
        guard descriptor >= 0 else { throw .file(operation: "open it for reading", path: path, code: errno) }
        return OpenFile(path: path, descriptor: descriptor)
    }

    /// Makes a new file that only this user can read.
    static func creating(_ path: String) throws(ImportError) -> OpenFile {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "make it", path: path, code: errno) }
        return OpenFile(path: path, descriptor: descriptor)
    }

    /// Takes the file as a lock for as long as the value lives; nil where another process holds it.
    static func locking(_ path: String) throws(ImportError) -> OpenFile? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "open the lock", path: path, code: errno) }
        let file = OpenFile(path: path, descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { return nil }
            throw .file(operation: "lock it", path: path, code: errno)
        }
        return file
    }

    func status() throws(ImportError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(operation: "look at it", path: path, code: errno) }
        return FileStatus(status)
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(ImportError) -> Data {
        var data = Data(count: count)
        var filled = 0
        var failure: Int32?
        data.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            while filled < count {
                let got = pread(descriptor, start + filled, count - filled, off_t(offset + filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        if let failure { throw .file(operation: "read it", path: path, code: failure) }
        return data.prefix(filled)
    }

    func write(_ data: Data) throws(ImportError) {
        var failure: Int32?
        data.withUnsafeBytes { buffer in
            var written = 0
            while let start = buffer.baseAddress, written < buffer.count {
                let put = Glibc.write(descriptor, start + written, buffer.count - written)
                if put < 0, errno == EINTR { continue }
                if put < 0 {
                    failure = errno
                    return
                }
                written += put
            }
        }
        if let failure { throw .file(operation: "write it", path: path, code: failure) }
    }

    func truncate() throws(ImportError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .file(operation: "empty it", path: path, code: errno) }
    }

    /// Waits until the bytes are on the disk.
    func synchronize() throws(ImportError) {
        guard fsync(descriptor) == 0 else { throw .file(operation: "write it to disk", path: path, code: errno) }
    }

    static func message(for code: Int32) -> String { String(cString: strerror(code)) }

    /// Linux's O_NOATIME, a feature-test macro that Glibc does not show.
    private static let keepAccessTime: Int32 = 0o1000000
}
