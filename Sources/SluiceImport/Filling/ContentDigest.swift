import Foundation
import SluiceDigest
import SluiceSchema
import SluiceStore

/// A digest over stored rows in a given order: name, entity, and every property that is not nil, in the order of names.
struct ContentDigest: ~Copyable {
    private var stream = Digest.Stream()

    mutating func add(_ row: StoredRow) {
        append(Data(row.name.text.utf8))
        append(Data(row.entity.utf8))
        for (name, value) in row.attributes.sorted(by: { $0.key < $1.key }) {
            guard let part = LegacyNames.part(name, value) else { continue }
            append(Data(name.utf8))
            append([part.tag] + part.bytes)
        }
        for (name, target) in row.references.sorted(by: { $0.key < $1.key }) {
            append(Data(name.utf8))
            append(Data(target.text.utf8))
        }
        append(Data())
    }

    /// Each part behind its length, so that no two rows give the same bytes.
    private mutating func append(_ part: Data) {
        stream.update(withUnsafeBytes(of: UInt64(part.count).bigEndian) { Data($0) })
        stream.update(part)
    }

    consuming func finish() -> String { stream.finish().hexadecimal }
}
