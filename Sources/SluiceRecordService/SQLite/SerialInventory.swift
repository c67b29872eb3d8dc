import SluiceSQLite

/// Files and inventory of the storage without threads: the same statements.
extension SerialRecordStorage {
    // MARK: AssetStorage

    package func addAsset(_ asset: StoredAsset, quota: Int64, in database: DatabaseID) async throws(StorageError) {
        try write { try $0.addAsset(asset, quota: quota, in: database) }
    }

    package func assets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        try read { reading in try assets.map { try AssetReading(connection: reading.connection).asset($0, in: database.rawValue) } }
    }

    package func keepAssets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        try write { transaction in try assets.map { try transaction.keepAsset($0, in: database) } }
    }

    package func forgetAssets(unusedSince time: Int64, limit: Int) async throws(StorageError) -> [ForgottenAsset] {
        try write { try $0.forgetAssets(unusedSince: time, limit: limit) }
    }

    // MARK: InventoryStorage

    package func databases(after database: DatabaseID?, limit: Int) async throws(StorageError) -> [DatabaseSummary] {
        try read { try InventoryReading(connection: $0.connection).databases(after: database, limit: limit) }
    }

    package func files(in database: DatabaseID, after asset: AssetID?, limit: Int) async throws(StorageError) -> [FileSummary] {
        try read { try InventoryReading(connection: $0.connection).files(in: database, after: asset, limit: limit) }
    }

    package func faults(in database: DatabaseID) async throws(StorageError) -> [String] {
        try read { try InventoryReading(connection: $0.connection).faults(in: database) }
    }

    package func engineFaults() async throws(StorageError) -> [String] { try read { try $0.connection.integrityFaults() } }
}
