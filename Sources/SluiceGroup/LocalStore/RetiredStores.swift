// Local stores that the pointer no longer names. A helper may still be in the middle of one, so it stays until SQLite grants a lock that
// nobody else's connection leaves room for. `/proc/locks` alone would not do: it does not list processes of other containers.
//
// Their number is bounded. Beyond the bound the oldest goes whoever reads it: who has it open reads on in the unlinked files, and who
// is about to open it finds nothing and looks at the pointer again.

import SluiceReader
import SluiceSQLite

/// Removes local stores that are no longer read.
struct RetiredStores {
    let directory: GroupDirectory
    let countMax: Int

    /// Removes what can be removed, and returns what is left, oldest first.
    func sweep(besides current: LocalStoreFile?) throws -> [LocalStoreFile] {
        var left: [LocalStoreFile] = []
        for file in try directory.localStores() where file != current {
            if isUnused(file) { try directory.removeStoreFiles(file) } else { left.append(file) }
        }
        for file in left.dropLast(min(countMax, left.count)) { try directory.removeStoreFiles(file) }
        return left.suffix(countMax)
    }

    /// Leaving WAL takes the exclusive lock, without waiting, and moves the log into the file: a helper that comes in between still reads
    /// all of it.
    private func isUnused(_ file: LocalStoreFile) -> Bool {
        do {
            let connection = try Connection(path: directory.path(of: file), mode: .readWrite, busyTimeout: .zero)
            return try connection.value("PRAGMA journal_mode = DELETE")?.text == "delete"
        } catch {
            if error.isRetryable { return false }
            // No store, or none any more: nobody reads rows from it. A process that holds a lock all the same keeps it.
            return LockHolders.processes(locking: directory.path(of: file)).isEmpty
        }
    }
}
