import Foundation
import SluiceHTTPServer
import SluiceRecords

/// What a service needs to deal with files.
struct ServiceFiles: Sendable {
    let store: any AssetStore
    let tickets: AssetTickets

    /// A file as it can be written to any record of its database.
    func full(_ stored: StoredAsset, in database: DatabaseID) -> Asset {
        var asset = Asset(fileChecksum: stored.fileChecksum, size: stored.byteCount)
        asset.referenceChecksum = stored.referenceChecksum
        asset.wrappingKey = tickets.wrappingKey(stored.id)
        asset.receipt = tickets.receipt(stored.id, in: database)
        return asset
    }

    /// Fields as they were sent, each receipt replaced by the name of the upload that it proves.
    func withoutReceipts(_ fields: [String: Field], in database: DatabaseID) throws(ServerError) -> [String: Field] {
        try AssetFields.replacing(fields) { name, asset throws(ServerError) in
            var kept = Asset(fileChecksum: asset.fileChecksum, size: asset.size)
            kept.referenceChecksum = asset.referenceChecksum
            if let receipt = asset.receipt {
                guard let id = tickets.asset(receipt: receipt, in: database) else {
                    throw ServerError(.badRequest, "the receipt in field '\(name)' is none of an upload to this database")
                }
                kept.receipt = id.description
            }
            return kept
        }
    }
}

/// Puts the download URLs of one database's files into answers.
struct AssetLinks: Sendable {
    let tickets: AssetTickets
    /// Nil: the sender did not say how it reaches the service, and gets no URLs.
    let base: String?
    let database: DatabaseID
    let now: Int64

    func shown(_ fields: [String: Field]) -> [String: Field] {
        AssetFields.replacing(fields) { _, asset throws(Never) in
            var shown = Asset(fileChecksum: asset.fileChecksum, size: asset.size)
            if let base, let id = asset.receipt.flatMap(AssetID.init(text:)) {
                shown.downloadURL = "\(base)\(FileTransfers.downloadPath)?ticket=\(tickets.download(id, in: database, now: now))"
            }
            return shown
        }
    }
}
