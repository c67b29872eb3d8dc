package import Foundation
package import SluiceHTTPServer

/// Where the bytes of uploaded files are. What they are and who refers to them is the storage's business; files are kept apart by database.
package protocol AssetStore: Sendable {
    /// Begins to take a file; nil where too many are on their way already.
    func receiver(byteCountMax: Int) -> (any AssetReceiver)?
    /// A file for reading; nil where it is not there or has another size.
    func body(of asset: StoredAsset, in database: DatabaseID) async -> FileBody?
    /// SHA-256 of a file's bytes as they are now; nil where it is not there.
    func digest(of asset: AssetID, in database: DatabaseID) async throws(AssetStoreError) -> Data?
    /// Removes a file; one that is not there is no fault.
    func remove(_ asset: AssetID, in database: DatabaseID) async throws(AssetStoreError)
    /// Removes files that came before `date` and that `known` does not name: their uploads were never acknowledged, or they were forgotten and
    /// the process ended before they could go.
    /// - Parameter known: of some files of a database, those that the storage knows.
    func removeForgotten(
        before date: Date, known: @Sendable (DatabaseID, [AssetID]) async throws -> Set<AssetID>
    ) async throws -> Int
}

/// One file on its way. Without `finish` nothing of it stays.
package protocol AssetReceiver: BodySink {
    /// Gives the file its name when all its bytes are on disk.
    /// - Returns: how many they are, and their SHA-256.
    func finish(as asset: AssetID, in database: DatabaseID) async throws(AssetStoreError) -> (byteCount: Int64, digest: Data)
}

/// A file could not be written or removed. The text is for the log.
package struct AssetStoreError: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// There is no room on the disk.
    package let isFull: Bool

    package init(_ action: String, _ path: String, code: Int32) {
        description = "assets: \(action) \(path): \(String(cString: strerror(code)))"
        isFull = code == ENOSPC || code == EDQUOT
    }
}
