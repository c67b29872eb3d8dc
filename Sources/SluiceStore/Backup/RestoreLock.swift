import Foundation
import Glibc

/// The right to replace a store that a coordinator keeps: its lock beside the store, held until this value is released. A coordinator that
/// is started meanwhile is told by whom it is held, as by another coordinator.
final class RestoreLock {
    private let descriptor: Int32

    /// What a coordinator calls its lock, in the directory of the store that it keeps.
    private static let name = "coordinator.lock"

    /// nil where no coordinator keeps the store.
    /// - Parameter isOwned: whether the store says that an account owns it; then the lock is made where there is none yet.
    /// - Throws: `RestoreFailure` with `.accountRuns` where a coordinator runs.
    init?(besideStore path: String, isOwned: Bool) throws {
        let lock = "\(BackupFolder.directory(of: path))/\(Self.name)"
        let opened = open(lock, O_RDWR | O_CLOEXEC)
        if opened < 0, errno == ENOENT, !isOwned { return nil }
        descriptor = opened >= 0 ? opened : Glibc.creat(lock, 0o600)
        guard descriptor >= 0 else { throw RestoreFailure(path: path, reason: .system("locking \(lock)", errno)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            throw RestoreFailure(path: path, reason: .accountRuns(holder: Self.holder(in: descriptor)))
        }
        // Only for the one who is refused; the lock is the kernel's.
        let text = "\(getpid())\n"
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.utf8.count, 0)
    }

    deinit { close(descriptor) }

    private static func holder(in descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer.prefix(count), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
