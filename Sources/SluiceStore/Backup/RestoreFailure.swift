import Glibc
import SluiceSQLite

/// Why a backup was not put in a store's place. The store is as it was, but for `notDurable`.
package struct RestoreFailure: Error, CustomStringConvertible {
    package enum Reason: Sendable {
        /// A coordinator runs the account; its process, where it is known.
        case accountRuns(holder: Int32?)
        /// Somebody has the store open.
        case inUse
        /// The backup does not open, or its check found faults.
        case badBackup(String)
        /// The backup is of a store with another owner.
        case otherOwner(String)
        /// What is in the store's place is a database, but no store.
        case notAStore
        case diskFull(neededByteCount: Int)
        /// The backup is in its place, but the disk failed when it was to say so.
        case notDurable(any Error)
        /// A system call, and its error's number.
        case system(String, Int32)
        case failed(any Error)
    }

    /// The store that was to be replaced.
    package let path: String
    package let reason: Reason

    package var description: String {
        let text = "\(path) was not replaced and is as it was"
        switch reason {
        case .accountRuns(let holder):
            return "\(text): \(holder.map { "process \($0)" } ?? "a coordinator") runs its account. Stop it, then restore again"
        case .inUse: return "\(text): a program has it open. Close every program that uses it, then restore again"
        case .badBackup(let fault): return "\(text): the backup is no use (\(fault)). Choose another"
        case .otherOwner(let owner): return "\(text): the backup is of a store that belongs to \(owner)"
        case .notAStore: return "\(text): it is a database, but not a store of Sluice's"
        case .diskFull(let count):
            return "\(text): the disk or the quota is full. A restore needs about \(count.inMebibytes) beside it: make room, then try again"
        case .system(let operation, let code): return "\(text): \(operation) failed: \(String(cString: strerror(code)))"
        case .notDurable(let error):
            return "\(path) was replaced, but the disk failed in the last step (\(error)): see that it is well, then look at the store"
        case .failed(let error): return "\(text): \(error)"
        }
    }
}
