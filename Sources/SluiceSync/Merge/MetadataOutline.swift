import Foundation

/// What merge metadata says as a whole, without taking it apart: enough for records that nothing else is asked of, which most are.
struct MetadataOutline {
    /// Milliseconds since 1970; 0 where no field has a stamp.
    private(set) var latestStamp: Int64 = 0
    /// The number of the device's last operation in the record; nil where there is none.
    private(set) var operation: Int64?

    /// nil for bytes that are not of the plain form, with which nothing is counted; `MergeMetadata` tells what they are.
    init?(of bytes: Data, device: UInt64) {
        guard let outline = bytes.withUnsafeBytes({ Self.read($0, device) }) else { return nil }
        self = outline
    }

    private init() {}

    private static func read(_ bytes: UnsafeRawBufferPointer, _ device: UInt64) -> MetadataOutline? {
        var reader = MetadataReader(bytes)
        var outline = MetadataOutline()
        guard reader.byte() == MergeMetadata.version, let devices = reader.varint(), devices <= MergeMetadata.deviceCountMax else { return nil }
        for _ in 0..<devices {
            guard let other = reader.fixed(), let number = reader.varint() else { return nil }
            if other == device { outline.operation = Int64(bitPattern: number) }
        }
        guard let groups = reader.varint(), groups <= MergeMetadata.fieldCountMax else { return nil }
        var fieldCount: UInt64 = 0
        for _ in 0..<groups {
            guard let stamp = reader.varint(), let count = reader.varint(), count <= MergeMetadata.fieldCountMax else { return nil }
            fieldCount += count
            outline.latestStamp = max(outline.latestStamp, Int64(bitPattern: stamp))
            for _ in 0..<count { guard reader.skipText(), reader.fixed() != nil else { return nil } }
        }
        return reader.isAtEnd && fieldCount <= MergeMetadata.fieldCountMax ? outline : nil
    }
}
