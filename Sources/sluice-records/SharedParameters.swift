package import SluiceCommandLine
package import SluiceRecordService
package import SluiceRecords

/// Parameters that several commands have in common.
enum Shared {
    static let data = Parameter<String>.option(
        "data", value: "DIRECTORY", default: "/var/lib/sluice-records", help: "Where the service keeps its database.")
    static let container = Parameter<String>.option(
        "container", value: "NAME", default: "iCloud.sluice", help: "The container that the token is for.")
    static let environment = Parameter<ServiceEnvironment>.option(
        "environment", value: "NAME", default: "production", help: "development or production.")
}

extension ServiceEnvironment: ArgumentValue {}

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
    package var exitCode: ExitCode { .inputOutput }
}
