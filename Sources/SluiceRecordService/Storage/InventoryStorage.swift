/// What an operator asks of a storage: what is there, and whether it fits together.
package protocol InventoryStorage: Sendable {
    /// All databases in a fixed order, some at a time.
    func databases(after database: DatabaseID?, limit: Int) async throws(StorageError) -> [DatabaseSummary]
    /// The files of a database in a fixed order, some at a time.
    func files(in database: DatabaseID, after asset: AssetID?, limit: Int) async throws(StorageError) -> [FileSummary]
    /// What does not fit together in one database: sums, references, fields that cannot be read. Names records, never values.
    func faults(in database: DatabaseID) async throws(StorageError) -> [String]
    /// What the engine itself finds wrong with where it keeps everything.
    func engineFaults() async throws(StorageError) -> [String]
}

/// One user's database.
package struct DatabaseSummary: Hashable, Sendable {
    package var database: DatabaseID
    package var container: String
    package var environment: String
    /// The operator's name for the person.
    package var user: String
    package var userRecordName: String
    /// What counts against the quota, files included.
    package var bytes: Int64
    package var files: Int
    package var fileBytes: Int64
    package var zones: [ZoneSummary]

    package var records: Int { zones.reduce(0) { $0 + $1.records } }
}

/// One zone that is not deleted.
package struct ZoneSummary: Hashable, Sendable {
    package var name: String
    package var records: Int
    package var tombstones: Int
    /// Of records, without their files.
    package var bytes: Int64
}

package struct FileSummary: Hashable, Sendable {
    package var asset: StoredAsset
    package var isUsed: Bool
}
