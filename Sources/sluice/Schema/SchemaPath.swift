import Foundation
import SluiceCommandLine
import SluiceConfiguration
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// A schema as somebody names it on the command line: a file of one version, a folder of versions, or a store.
enum SchemaPath {
    case versions([SchemaRelease])
    case version(SchemaRelease)
    case store(Schema)

    /// - Throws: `ConfigurationError`, `SchemaProblem`.
    init(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw SchemaProblem("\(path): there is no such file", .noInput)
        }
        if isFolder.boolValue {
            self = .versions(try SchemaFile.readVersions(path).map(\.release))
        } else if path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            self = .version(try SchemaFile.read(path).release)
        } else {
            self = .store(try Self.schema(inStore: path))
        }
    }

    /// The schema inside a store. The store is only read.
    static func schema(inStore path: String) throws -> Schema {
        do {
            guard let schema = try Store.schema(at: path) else { throw SchemaProblem("\(path): there is no such file", .noInput) }
            return schema
        } catch let error as StoreError {
            throw SchemaProblem("\(error)", .data)
        } catch let error as SQLiteError {
            throw SchemaProblem("\(error)", .data)
        }
    }

    /// The one that is meant where there are several.
    var newest: Schema? {
        switch self {
        case .versions(let releases): releases.last?.schema
        case .version(let release): release.schema
        case .store(let schema): schema
        }
    }
}

/// Why a command about schemas cannot do what it was asked for.
struct SchemaProblem: ExitCodeProviding, CustomStringConvertible {
    let description: String
    let exitCode: ExitCode

    init(_ description: String, _ exitCode: ExitCode) {
        self.description = description.printable
        self.exitCode = exitCode
    }
}
