/// Looks at everything that a service keeps. Changes nothing; the service may run meanwhile.
package struct ServiceCheck: Sendable {
    package struct Report: Sendable {
        package var databases = 0
        package var records = 0
        package var files = 0
        /// One sentence each, with the user's and the record's name, never a value.
        package var faults: [String] = []
    }

    private let storage: any RecordStorage
    private let store: any AssetStore
    /// Rows read at a time.
    private static let batch = 200

    package init(storage: any RecordStorage, store: any AssetStore) {
        self.storage = storage
        self.store = store
    }

    /// - Parameter readsFiles: compare every file's bytes with their checksum, not only its size.
    package func run(readsFiles: Bool) async throws -> Report {
        var report = Report()
        report.faults = try await storage.engineFaults()
        var last: DatabaseID?
        while true {
            let databases = try await storage.databases(after: last, limit: Self.batch)
            for database in databases {
                report.databases += 1
                report.records += database.records
                let place = "\(database.user) in \(database.container), \(database.environment)"
                for fault in try await storage.faults(in: database.database) { report.faults.append("\(place): \(fault)") }
                try await checkFiles(of: database.database, place, readsFiles, &report)
            }
            guard let end = databases.last, databases.count == Self.batch else { return report }
            last = end.database
        }
    }

    private func checkFiles(of database: DatabaseID, _ place: String, _ readsFiles: Bool, _ report: inout Report) async throws {
        var last: AssetID?
        while true {
            let files = try await storage.files(in: database, after: last, limit: Self.batch)
            for file in files {
                report.files += 1
                guard let fault = try await fault(of: file.asset, in: database, readsFiles) else { continue }
                // It may have been forgotten since, and removed by the service.
                guard try await storage.assets([file.asset.id], in: database)[0] != nil else { continue }
                report.faults.append("\(place): file \(file.asset.id) \(fault)")
            }
            guard let end = files.last, files.count == Self.batch else { return }
            last = end.asset.id
        }
    }

    private func fault(of asset: StoredAsset, in database: DatabaseID, _ readsFiles: Bool) async throws -> String? {
        guard await store.body(of: asset, in: database) != nil else { return "is not there, or not of its size" }
        guard readsFiles else { return nil }
        return try await store.digest(of: asset.id, in: database) == asset.digest ? nil : "has other bytes than were uploaded"
    }
}
