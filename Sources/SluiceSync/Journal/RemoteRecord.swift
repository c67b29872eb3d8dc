import Foundation
import SluiceRecords

/// A record of the service, with what its metadata says of each field.
///
/// A class, because metadata is taken apart only where somebody asks: of a record that is new here nobody does. Used on the store's executor.
final class RemoteRecord {
    private let encoded: Data?
    private let outline: MetadataOutline?
    private let device: UInt64
    private let modified: Int64
    private let latestStamp: Int64
    /// No stamp of the record is later, in milliseconds since 1970.
    private let bound: Int64
    private lazy var reading = readMetadata()

    /// nil where whoever wrote the record last does not keep any.
    var metadata: MergeMetadata? { reading.metadata }

    /// - Parameter device: this one, as metadata calls it.
    init(record: Record, device: UInt64, latestStamp: Int64) {
        self.device = device
        self.latestStamp = latestStamp
        modified = min(record.modified?.timestamp ?? 0, latestStamp)
        // A clock that runs ahead must not win for ever: its stamps are lowered once, here, and stored so. Nobody edits much later than the service
        // takes the edit, however long ago that was when this device hears of it.
        bound = record.modified.map { min(latestStamp, $0.timestamp + SyncExchange.clockTolerance) } ?? latestStamp
        encoded = record.encodedMetadata
        outline = encoded.flatMap { MetadataOutline(of: $0, device: device) }
    }

    private func readMetadata() -> (metadata: MergeMetadata?, isLowered: Bool) {
        guard var metadata = encoded.flatMap({ MergeMetadata(encoded: $0) }) else { return (nil, false) }
        let isLowered = metadata.lower(to: bound)
        return (metadata, isLowered)
    }

    /// The number of this device's last operation in the record; nil where there is none.
    var ownOperation: Int64? { outline.map(\.operation) ?? metadata?.operations[device] }

    /// The metadata as it came, where none of its stamps was too late; else as it counts.
    var keptMetadata: Data? {
        if let outline, outline.latestStamp <= bound { return encoded }
        return reading.isLowered ? metadata?.encoded : metadata == nil ? nil : encoded
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
    /// The bytes that should hold merge metadata.
    var encodedMetadata: Data? { if case .bytes(let bytes)? = fields[RecordMapping.metadataField]?.value { bytes } else { nil } }
}
