package import Foundation
import SluiceDigest

/// The name of one upload: random, never given twice, so that a file that goes as garbage is never one that just came.
package struct AssetID: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    package let bytes: Data

    package init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.bytes = Data(bytes)
    }

    package init(random: () -> UInt64) {
        bytes = [random(), random()].reduce(into: Data()) { data, word in withUnsafeBytes(of: word.bigEndian) { data.append(contentsOf: $0) } }
    }

    /// 32 hexadecimal digits.
    package init?(text: String) {
        guard text.utf8.count == 32 else { return nil }
        var bytes = Data()
        var rest = Substring(text)
        while !rest.isEmpty {
            // A sign would be read as part of a number.
            guard rest.first != "+", rest.first != "-", let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self.init(bytes: bytes)
    }

    package var description: String { bytes.hexadecimal }
}

/// What a storage knows of an uploaded file. Its bytes are in an `AssetStore`.
package struct StoredAsset: Hashable, Sendable {
    package var id: AssetID
    /// SHA-256 of the bytes.
    package var digest: Data
    package var byteCount: Int64

    package init(id: AssetID, digest: Data, byteCount: Int64) {
        self.id = id
        self.digest = digest
        self.byteCount = byteCount
    }

    /// As clients see it: opaque, the same for the same bytes.
    package var fileChecksum: String { Self.checksum(digest) }
    /// The same of the file as something that records refer to.
    package var referenceChecksum: String { Self.checksum(Digest.sha256(Data("reference".utf8) + digest)) }

    private static func checksum(_ digest: Data) -> String { (Data([1]) + digest.prefix(20)).base64EncodedString() }
}
