package import SluiceCommandLine
package import SluiceDigest
package import SluicePostgreSQL
package import SluiceRecordService
package import SluiceRecords

/// Parameters that several commands have in common.
enum Shared {
    static let data = Parameter<String>.option(
        "data", value: "DIRECTORY", default: "/var/lib/sluice-records", help: "Where the service keeps its database.")
    static let storage = Parameter<String>.option(
        "storage", value: "URL",
        help: "The PostgreSQL database that has the service's rows: postgresql://HOST/DATABASE, without a password. Files stay in --data.")
    /// Where the service is.
    static let place = [data.declaration, storage.declaration]
    static let container = Parameter<String>.option(
        "container", value: "NAME", default: "iCloud.sluice", help: "The container that the token is for.")
    static let environment = Parameter<ServiceEnvironment>.option(
        "environment", value: "NAME", default: "production", help: "development or production.")
}

extension ServiceEnvironment: ArgumentValue {}
extension ZoneDeletionReason: ArgumentValue {}
extension TokenRotation: ArgumentValue {}

extension Arguments {
    /// Where the service is that a command is about.
    /// - Throws: `PostgreSQLError.unusableTarget`, which does not repeat what was given.
    var place: ServicePlace {
        get throws {
            ServicePlace(
                directory: DataDirectory(path: required(Shared.data)), target: try value(of: Shared.storage).map { text throws(PostgreSQLError) in try PostgreSQLTarget(text) })
        }
    }
}

extension PostgreSQLError: ExitCodeProviding {
    package var exitCode: ExitCode { if case .unusableTarget = self { .usage } else { .inputOutput } }
}

extension DataDirectoryError: ExitCodeProviding {
    package var exitCode: ExitCode {
        switch code {
        case .missing: .noInput
        case .exists: .cannotCreate
        case .inUse: .temporaryFailure
        case .cannotUse: .inputOutput
        }
    }
}

extension StorageError: ExitCodeProviding {
    package var exitCode: ExitCode { if case .credentialExists = self { .cannotCreate } else { .inputOutput } }
}

extension KeyError: ExitCodeProviding {
    package var exitCode: ExitCode { .software }
}
