import SluiceSQLite

/// What a legacy store is, by its first bytes and its tables.
package enum LegacyKind: String, Sendable, Codable {
    /// Apple's: Core Data or SwiftData.
    case coreData
    /// A store of ours from another place.
    case sluice
    /// An export as JSON or JSON lines.
    case json
    case unknown

    package static func of(_ store: StagedStore) throws -> LegacyKind {
        if SourceFormat(beginning: try OpenFile.reading(store.path).read(SourceFormat.byteCount, at: 0)) == .json { return .json }
        let connection = try Connection(path: store.path, mode: .readOnly)
        let names = Set(try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) })
        if names.contains("_sluice_store") { return .sluice }
        return names.isSuperset(of: ["Z_METADATA", "Z_PRIMARYKEY"]) ? .coreData : .unknown
    }
}
