package import SluiceReader

extension LocalStoreWriter {
    package struct Options: Sendable {
        /// Above this size the log of the local store is emptied.
        package var logByteCountMax = 8 << 20
        /// How long emptying the log waits for readers before a new store is built instead.
        package var checkpointPatience: Duration = .milliseconds(500)
        package var busyTimeout: Duration = .seconds(2)
        /// More changed rows than this are not applied one by one: the store is built anew.
        package var changedRowCountMax = 100_000
        /// Old stores that wait for their last reader.
        package var retiredStoreCountMax = 4

        package init() {}
    }

    /// One committed state that helpers can see.
    package struct Generation: Hashable, Sendable {
        package let number: Int64
        package let file: LocalStoreFile
        /// Whether rows differ from the generation before.
        package let isNew: Bool
        /// Why a new store was built for it; nil where the store before was kept up to date.
        package let rebuild: RebuildReason?
    }

    /// A log that could not be emptied, and who kept it.
    package struct BlockedCheckpoint: Hashable, Sendable {
        package let file: LocalStoreFile
        package let logByteCount: Int
        /// As far as the kernel names them to us.
        package let processes: [Int32]
    }

    package enum RebuildReason: String, Sendable {
        case asked
        /// There was none, or none that this program can open.
        case noStore
        /// The schema or the projections changed.
        case otherProjection
        /// The local store does not show an earlier moment of this synced store.
        case outOfStep
        case tooManyChanges
        /// Readers kept the log from being emptied, or the store from being written.
        case heldByReaders
        case damaged
    }
}

extension LocalStoreWriter.BlockedCheckpoint: CustomStringConvertible {
    package var description: String {
        let who = processes.isEmpty ? "a reader" : "process " + processes.map(String.init).joined(separator: ", ")
        return "checkpoint blocked: \(who) reads \(file.name), whose log has \(logByteCount) bytes; helpers go on in a newer store"
    }
}
