package import Foundation

/// What a storage knows of uploaded files: whose they are, what they weigh, and whether a record refers to them.
///
/// 1. A file belongs to one database and counts against its quota from its upload until it is forgotten.
/// 2. A record that refers to it keeps it. One that nobody refers to is forgotten some time after the last who did, or after its upload.
/// 3. Forgetting and referring exclude each other: a commit that refers to a file is refused once it is forgotten.
package protocol AssetStorage: Sendable {
    /// 32 random bytes, drawn when the storage was made: the key of `AssetTickets`.
    var assetKey: Data { get }

    /// Remembers an upload, whose bytes are safe already.
    /// - Throws: `quotaExceeded` where the database would hold more than `quota` bytes.
    func addAsset(_ asset: StoredAsset, quota: Int64, in database: DatabaseID) async throws(StorageError)
    /// One element per name; nil where there is no such file in this database.
    func assets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?]
    /// The same, and each of them begins its time anew.
    func keepAssets(_ assets: [AssetID], in database: DatabaseID) async throws(StorageError) -> [StoredAsset?]
    /// Forgets files that no record has referred to since `time`, in milliseconds; their bytes are the caller's to remove.
    func forgetAssets(unusedSince time: Int64, limit: Int) async throws(StorageError) -> [ForgottenAsset]
}

/// A file that a storage does not know any more.
package struct ForgottenAsset: Hashable, Sendable {
    package var database: DatabaseID
    package var asset: AssetID
}
