import Foundation

/// Removes files that nobody refers to: those that storage forgets after their time, and those that it never heard of.
package struct AssetCollector: Sendable {
    private let storage: any RecordStorage
    private let store: any AssetStore
    private let environment: StorageEnvironment
    private let grace: Duration
    /// Files that one commit forgets.
    private static let batch = 500

    /// - Parameter grace: how long a file may be without a record: between its upload and the record that names it, or while downloads of it last.
    package init(storage: any RecordStorage, store: any AssetStore, environment: StorageEnvironment, grace: Duration) {
        self.storage = storage
        self.store = store
        self.environment = environment
        self.grace = grace
    }

    private var limit: Int64 { environment.now() - Int64(grace / .milliseconds(1)) }

    /// - Returns: how many files went.
    package func collect() async throws -> Int {
        var count = 0
        while true {
            let forgotten = try await storage.forgetAssets(unusedSince: limit, limit: Self.batch)
            for file in forgotten { try await store.remove(file.asset, in: file.database) }
            count += forgotten.count
            if forgotten.count < Self.batch { return count }
        }
    }

    /// Looks at every file; a service does it when it starts and once a day.
    /// - Returns: how many files went.
    package func sweep() async throws -> Int {
        try await store.removeForgotten(before: Date(timeIntervalSince1970: Double(limit) / 1_000)) { [storage] database, files in
            var known: Set<AssetID> = []
            for start in stride(from: 0, to: files.count, by: Self.batch) {
                let part = Array(files[start..<min(start + Self.batch, files.count)])
                known.formUnion(try await storage.assets(part, in: database).compactMap { $0?.id })
            }
            return known
        }
    }
}
