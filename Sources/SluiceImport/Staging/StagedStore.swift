import Foundation

/// A complete, sound copy of a legacy store in the `Legacy` directory. Made by LegacyStaging; nobody writes it afterwards.
///
/// Its folder holds the database under its old name (one file: the log is merged in), its `_SUPPORT` folder, and `staged.json`,
/// which is this value's encoding. The folder is named for the digest, so that the same bytes are staged once.
package struct StagedStore: Hashable, Sendable, Codable {
    /// The folder's name inside `Legacy`: the first 32 digits of the digest.
    package let identifier: String
    package let fileName: String
    /// Where it was found, links resolved.
    package let source: String
    /// SHA-256 over the source's bytes as they were copied: main file, log, journal, external values.
    package let digest: String
    package let byteCount: Int
    package let notes: [StagingNote]
    /// Set by whoever reads the value, because the state directory may move.
    package internal(set) var directory: String = ""

    private enum CodingKeys: String, CodingKey { case identifier, fileName, source, digest, byteCount, notes }

    /// The database file.
    package var path: String { directory + "/" + fileName }

    /// Where Core Data keeps values that are too large for the database.
    package var externalData: String {
        directory + "/.\((fileName as NSString).deletingPathExtension)_SUPPORT/_EXTERNAL_DATA"
    }

    static let manifestName = "staged.json"

    /// The finished copy in `directory`; nil where there is none.
    init?(in directory: String) throws {
        let manifest = directory + "/" + Self.manifestName
        guard try FileStatus(ofPath: manifest) != nil else { return nil }
        self = try JSONDecoder().decode(StagedStore.self, from: Data(contentsOf: URL(fileURLWithPath: manifest)))
        self.directory = directory
    }

    init(identifier: String, fileName: String, source: String, digest: String, byteCount: Int, notes: [StagingNote]) {
        self.identifier = identifier
        self.fileName = fileName
        self.source = source
        self.digest = digest
        self.byteCount = byteCount
        self.notes = notes
    }

    func manifest() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

/// Something about the copy that a person should know.
package enum StagingNote: Hashable, Sendable, Codable {
    /// The log beside the store was another database's and was left out.
    case foreignLog(reason: String)
    /// The journal beside the store was another database's and was left out.
    case foreignJournal
    /// Links and special files in the support folder were left out.
    case skippedInSupport(names: [String])
    /// SQLite cannot check the file completely: it uses a collation or module that only Apple's build has.
    case checkIncomplete(reason: String)
}

extension StagingNote: CustomStringConvertible {
    package var description: String {
        switch self {
        case .foreignLog(let reason): "a write-ahead log lay beside the store that is not its own (\(reason)); it was left out"
        case .foreignJournal: "a rollback journal lay beside the store that is not its own; it was left out"
        case .skippedInSupport(let names): "no plain files, left out: \(names.joined(separator: ", "))"
        case .checkIncomplete(let reason): "the integrity check could not finish: \(reason)"
        }
    }
}
