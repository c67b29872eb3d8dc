import Foundation
import Glibc

@testable import SluiceImport

/// A temporary folder of one test, removed with it.
final class Workplace {
    let path: String
    var legacy: String { path + "/Legacy" }
    var source: String { path + "/source" }

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-import-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
    }

    deinit {
        chmod(source, 0o700)
        try? FileManager.default.removeItem(atPath: path)
    }

    func stage(_ name: String) throws -> StagedStore {
        try LegacyStaging(directory: legacy, pause: { _ in }).stage(source + "/" + name)
    }

    func open(_ name: String, identities: [String: String] = [:]) throws -> CoreDataFile {
        try CoreDataFile(stage(name), options: .init(schemaName: "legacy", identities: identities))
    }

    /// Names, bytes and times of everything in the source folder.
    func sourceState() throws -> [String: String] {
        var state: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let attributes = try FileManager.default.attributesOfItem(atPath: source + "/" + name)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: source + "/" + name))
            state[name] = "\(bytes.count) \(bytes.hashValue) \(attributes[.modificationDate] ?? "") \(attributes[.posixPermissions] ?? "")"
        }
        return state
    }
}

extension CoreDataFile {
    func rows(of entity: String) throws -> [LegacyRow] {
        var rows: [LegacyRow] = []
        try forEachBatch(of: entity) { rows += $0 }
        return rows
    }

    func allRows() throws -> [LegacyRow] { try entities.flatMap { try rows(of: $0) } }

    func links() throws -> [LegacyLink] {
        var links: [LegacyLink] = []
        try forEachLinkBatch { links += $0 }
        return links
    }
}
