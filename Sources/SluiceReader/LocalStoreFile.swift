// Names and settings that the writing half (SluiceGroup) and this one share:
//
// defaults.json          the pointer (ContainerPointer)
// Local.<n>.store        a local store; n only grows, and a name is never given twice
// .Local_SUPPORT/        large values that rows of any local store refer to (ExternalValues)
// Local.<n>.store-wal    its log, and -shm its index: always there, because a reader without write permission cannot make them
//
// In the table `_sluice_store` of a local store, written in the transaction of the rows:
// generation  how many states helpers could see before this one, over all files of the container
// synced      milliseconds since 1970 of the last successful sync; NULL before the first
// freshness   JSON: by entity the milliseconds after which its rows should be called stale; only entities whose rule says so

/// The name of a numbered local store.
package struct LocalStoreFile: Hashable, Sendable, Comparable {
    package let number: Int64

    package init(number: Int64) { self.number = number }

    /// nil for any other file, however it got there.
    package init?(name: some StringProtocol) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "Local", parts[2] == "store", let number = Int64(parts[1]), number > 0, "\(number)" == parts[1]
        else { return nil }
        self.number = number
    }

    package var name: String { "Local.\(number).store" }

    package static let pointerName = "defaults.json"
    package static let sidecarSuffixes = ["-wal", "-shm"]

    /// Keys of the settings inside the store.
    package enum Key {
        package static let generation = "generation"
        package static let synced = "synced"
        package static let freshness = "freshness"
    }

    package static func < (left: LocalStoreFile, right: LocalStoreFile) -> Bool { left.number < right.number }
}
