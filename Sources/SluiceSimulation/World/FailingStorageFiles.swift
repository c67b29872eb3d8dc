import Foundation
import SluiceRecordService
import SluiceRecords

// Files and inventories meet no faults here: no device of a simulation sends files.
extension FailingStorage {
    var assetKey: Data { base.assetKey }

    func addAsset(_ asset: StoredAsset, quota: Int64, in database: DatabaseID) async throws(StorageError) {
        try await base.addAsset(asset, quota: quota, in: database)
    }

    func assets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        try await base.assets(assets, in: database)
    }

    func keepAssets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?] {
        try await base.keepAssets(assets, in: database)
    }

    func forgetAssets(unusedSince time: Int64, limit: Int) async throws(StorageError) -> [ForgottenAsset] {
        try await base.forgetAssets(unusedSince: time, limit: limit)
    }

    func databases(after database: DatabaseID?, limit: Int) async throws(StorageError) -> [DatabaseSummary] {
        try await base.databases(after: database, limit: limit)
    }

    func files(in database: DatabaseID, after asset: AssetID?, limit: Int) async throws(StorageError) -> [FileSummary] {
        try await base.files(in: database, after: asset, limit: limit)
    }

    func faults(in database: DatabaseID) async throws(StorageError) -> [String] { try await base.faults(in: database) }
    func engineFaults() async throws(StorageError) -> [String] { try await base.engineFaults() }
}
