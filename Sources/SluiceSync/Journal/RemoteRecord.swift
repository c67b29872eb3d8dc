import Foundation
import SluiceRecords

/// A record of the service, with what its metadata says of each field.
struct RemoteRecord {
    let metadata: MergeMetadata?
    /// Whether `metadata` is not what the record says, because stamps of it were too late.
    let isLowered: Bool
    private let modified: Int64
    private let latestStamp: Int64

    init(record: Record, metadata: MergeMetadata?, latestStamp: Int64) {
        self.latestStamp = latestStamp
        modified = min(record.modified?.timestamp ?? 0, latestStamp)
        guard var metadata else {
            self.metadata = nil
            isLowered = false
            return
        }
        // A clock that runs ahead must not win for ever: its stamps are lowered once, here, and stored so. Nobody edits much later than the service
        // takes the edit, however long ago that was when this device hears of it.
        let bound = record.modified.map { min(latestStamp, $0.timestamp + SyncExchange.clockTolerance) } ?? latestStamp
        isLowered = metadata.lower(to: bound)
        self.metadata = metadata
    }

    /// When the field was last edited. A value that its stamp does not cover was written by a client that does not keep stamps.
    func stamp(of field: String, cell: WireCell) -> Int64 {
        guard let metadata else { return modified }
        if let stamp = metadata.stamps[field] { return stamp.hash == cell.hash64 ? stamp.milliseconds : modified }
        return cell.isNull ? 0 : modified
    }

    /// Whether the field is as our own operation, whose answer is still to come, wrote it: then an edit here that differs was made on top of it.
    func holds(_ sent: MergeMetadata, field: String, cell: WireCell) -> Bool {
        // Where nobody keeps metadata the content has to tell.
        if let metadata, metadata.stamps[field] != sent.stamps[field] { return false }
        return sent.stamps[field].map { $0.hash == cell.hash64 } ?? cell.isNull
    }

    /// The latest edit of any field.
    var latestEdit: Int64 { metadata.map { $0.stamps.values.map(\.milliseconds).max() ?? 0 } ?? modified }
}

extension Record {
    /// nil where whoever wrote the record last does not keep any.
    var mergeMetadata: MergeMetadata? { encodedMetadata.flatMap { MergeMetadata(encoded: $0) } }

    /// The bytes that should hold merge metadata.
    var encodedMetadata: Data? { if case .bytes(let bytes)? = fields[RecordMapping.metadataField]?.value { bytes } else { nil } }
}
