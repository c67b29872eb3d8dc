import Foundation
import Testing

@testable import SluiceSync

/// The bytes of `sluice_meta`.
@Suite struct MergeMetadataTests {
    private func counting(_ devices: ClosedRange<UInt64>) -> MergeMetadata {
        var metadata = MergeMetadata()
        metadata.beginCounting()
        for device in devices {
            metadata.note(operation: Int64(100 - device), of: device)
            metadata.count(Int64(device), of: "visits", by: device)
        }
        return metadata
    }

    @Test func `where nobody counts, the bytes are those of version 1, whoever reads them`() throws {
        var metadata = MergeMetadata()
        metadata.note(operation: 7, of: 3)
        metadata.stamp("text", hash: 5, edited: 9, latest: nil)
        #expect(metadata.encoded.first == 1)
        #expect(MergeMetadata(encoded: metadata.encoded) == metadata)
    }

    @Test func `version 2 carries what each device added, and who wrote last`() throws {
        let metadata = counting(1...5)
        #expect(metadata.encoded.first == 2)
        let read = try #require(MergeMetadata(encoded: metadata.encoded))
        #expect(read == metadata)
        #expect(read.counted("visits", by: 4) == 4)
    }

    @Test func `of many devices those that wrote last are kept, also one whose operation numbers are low`() {
        var metadata = counting(1...16)
        metadata.note(operation: 1, of: 99)
        #expect(metadata.operations.count == 16)
        #expect(metadata.operations[99] == 1)
        #expect(metadata.operations[1] == nil && metadata.counted("visits", by: 1) == 0)
        #expect(metadata.counted("visits", by: 2) == 2)
    }

    @Test func `bytes that are cut off, go on, or are of a version to come are no metadata`() {
        let bytes = counting(1...3).encoded
        for count in 0..<bytes.count { #expect(MergeMetadata(encoded: bytes.prefix(count)) == nil) }
        #expect(MergeMetadata(encoded: bytes + [0]) == nil)
        #expect(MergeMetadata(encoded: [3] + bytes.dropFirst()) == nil)
    }

    @Test func `joined with what was known before, later writes of each device count, and no sum is added twice`() {
        var (old, new) = (counting(1...2), counting(1...2))
        old.note(operation: 200, of: 1)
        old.count(50, of: "visits", by: 1)
        new.note(operation: 300, of: 2)
        new.count(7, of: "visits", by: 2)
        new.join(old)
        #expect(new.counted("visits", by: 1) == 51)
        #expect(new.counted("visits", by: 2) == 9)
        let once = new
        new.join(old)
        #expect(new == once)
    }
}
