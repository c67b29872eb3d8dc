// Assets inside the fields that storage keeps. There an asset is `{"fileChecksum","size","receipt"}`, its receipt replaced by the name of the
// upload, 32 digits: the writer puts them there after looking them up, and every answer takes them out again.

package import Foundation
package import SluiceRecords

package enum AssetFields {
    /// Whether stored fields can hold an asset at all: most do not, and looking for the word is cheap.
    package static func mayHold(_ fieldsJSON: Data) -> Bool { StoredWords.contains(#""ASSETID"#, in: fieldsJSON) }

    /// Whether fields that were sent hold one.
    package static func hold(_ fields: [String: Field]) -> Bool {
        fields.values.contains { field in
            switch field.value {
            case .asset, .assetList: true
            default: false
            }
        }
    }

    /// The files that stored fields refer to.
    package static func assets(in fieldsJSON: Data) throws(WireError) -> Set<AssetID> {
        guard mayHold(fieldsJSON) else { return [] }
        let fields = try [String: Field].decode(try JSONValue(parsing: fieldsJSON))
        return Set(fields.values.flatMap { list(of: $0.value) }.compactMap { $0.receipt.flatMap(AssetID.init(text:)) })
    }

    static func list(of value: FieldValue?) -> [Asset] {
        switch value {
        case .asset(let asset): [asset]
        case .assetList(let list): list
        default: []
        }
    }

    /// The fields, each asset replaced by what `body` makes of it; also what `body` throws.
    package static func replacing<Failure: Error>(
        _ fields: [String: Field], _ body: (String, Asset) throws(Failure) -> Asset
    ) throws(Failure) -> [String: Field] {
        var fields = fields
        for (name, field) in fields {
            switch field.value {
            case .asset(let asset): fields[name]?.value = .asset(try body(name, asset))
            case .assetList(let list):
                var replaced: [Asset] = []
                for asset in list { replaced.append(try body(name, asset)) }
                fields[name]?.value = .assetList(replaced)
            default: continue
            }
        }
        return fields
    }

    /// Fields as they are to be stored: each asset is one that was uploaded to this database, as it was uploaded.
    ///
    /// An asset without a receipt is one that was read with its record and is written back: it stays where that field of the record has it.
    /// - Parameters:
    ///   - fields: receipts are names of uploads.
    ///   - live: the record that is there.
    ///   - find: an upload to this database; nil where there is none.
    /// - Throws: `ServerError` for what is not so, and what `find` throws.
    package static func resolved(
        _ fields: [String: Field], over live: [String: Field]?, find: (AssetID) throws -> StoredAsset?
    ) throws -> [String: Field] {
        func resolve(_ name: String, _ asset: Asset) throws -> Asset {
            guard let receipt = asset.receipt else {
                let there = list(of: live?[name]?.value).first { $0.fileChecksum == asset.fileChecksum && (asset.size == nil || $0.size == asset.size) }
                guard let there else {
                    throw ServerError(.badRequest, "the asset in field '\(name)' needs the receipt of its upload, or of assets/rereference")
                }
                return there
            }
            guard let id = AssetID(text: receipt), let stored = try find(id) else {
                throw ServerError(.badRequest, "the file for field '\(name)' is not there any more; upload it again")
            }
            guard asset.fileChecksum == nil || asset.fileChecksum == stored.fileChecksum, asset.size == nil || asset.size == stored.byteCount,
                asset.referenceChecksum == nil || asset.referenceChecksum == stored.referenceChecksum
            else { throw ServerError(.badRequest, "the checksums or the size in field '\(name)' are not those of the upload") }
            var kept = Asset(fileChecksum: stored.fileChecksum, size: stored.byteCount)
            kept.receipt = id.description
            return kept
        }
        return try replacing(fields) { name, asset throws(any Error) in try resolve(name, asset) }
    }
}
