import Foundation
import SluiceSimulation
import Testing

@testable import SluiceSync

/// What is read of metadata without taking it apart agrees with what it holds.
@Suite struct MetadataOutlineTests {
    private func metadata(_ random: inout some RandomNumberGenerator) -> MergeMetadata {
        var metadata = MergeMetadata()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            metadata.note(operation: .random(in: 1...1_000, using: &random), of: .random(in: 1...4, using: &random))
        }
        for field in 0..<Int.random(in: 0...6, using: &random) {
            let stamp = [0, Int64.random(in: 1...5, using: &random), 1_700_000_000_000][field % 3]
            metadata.stamp("field\(field)", hash: .random(in: .min ... .max, using: &random), edited: stamp, latest: nil)
        }
        return metadata
    }

    @Test(arguments: [1, 2, 3]) func `the latest stamp and a device's own operation are those of the metadata`(seed: UInt64) throws {
        var random = SeededRandom(seed)
        for _ in 0..<200 {
            let metadata = metadata(&random)
            let outline = try #require(MetadataOutline(of: metadata.encoded, device: 2))
            #expect(outline.latestStamp == metadata.stamps.values.map(\.milliseconds).max() ?? 0)
            #expect(outline.operation == metadata.operations[2])
        }
    }

    @Test func `bytes that are cut off, go on, count, or are of a version to come have none`() {
        var random = SeededRandom(9)
        var metadata = metadata(&random)
        metadata.stamp("text", hash: 5, edited: 9, latest: nil)
        let bytes = metadata.encoded
        for count in 0..<bytes.count { #expect(MetadataOutline(of: bytes.prefix(count), device: 2) == nil) }
        #expect(MetadataOutline(of: bytes + [0], device: 2) == nil)
        #expect(MetadataOutline(of: [3] + bytes.dropFirst(), device: 2) == nil)
        metadata.beginCounting()
        #expect(MetadataOutline(of: metadata.encoded, device: 2) == nil)
    }
}
