import Foundation
import SluiceDigest
package import SluiceRecords
import SluiceSchema
import SluiceStore

/// A digest over a set of records in wire form, whatever order they come in.
///
/// SHA-256 over the sorted SHA-256s of each record: its name, its type and its fields in canonical JSON. Merge metadata is left out: it says
/// how values came about, not what they are. UUIDs in names and references count in one spelling, as they do everywhere here. Two devices and the service that are in step have the same digest.
package struct RecordDigest {
    private var digests: [Data] = []

    package init() {}

    package var count: Int { digests.count }

    package mutating func add(name: String, type: String, fields: [String: Field]) throws {
        var kept = fields.filter { $0.key != RecordMapping.metadataField && $0.value.value != nil }
        for (key, field) in kept {
            guard case .reference(var reference)? = field.value else { continue }
            reference.recordName = RecordName(reference.recordName).text
            kept[key] = Field(.reference(reference))
        }
        var bytes = Data()
        for part in [Data(RecordName(name).text.utf8), Data(type.utf8), try kept.canonicalJSON()] {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(part)
        }
        digests.append(Digest.sha256(bytes))
    }

    /// Lower-case hexadecimal.
    package var text: String {
        var stream = Digest.Stream()
        for digest in digests.sorted(by: { $0.lexicographicallyPrecedes($1) }) { stream.update(digest) }
        return stream.finish().hexadecimal
    }
}

extension SyncJournal {
    /// The digest of what this store would have the service hold.
    package func digest() throws -> (count: Int, text: String) {
        var digest = RecordDigest()
        try store.read { try forEachRecord { name, type, fields in try digest.add(name: name.text, type: type, fields: fields) } }
        return (digest.count, digest.text)
    }
}
