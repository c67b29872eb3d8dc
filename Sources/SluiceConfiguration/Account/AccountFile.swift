import Foundation

extension AccountConfiguration {
    /// - Throws: every fault of the file, and of the schema files it names.
    package static func load(
        _ file: String, _ environment: ConfigurationEnvironment
    ) throws(ConfigurationError) -> AccountConfiguration {
        let file = URL(filePath: file).standardizedFileURL.path
        let decoder = AccountDecoder(log: FaultLog(file: file), environment: environment)
        let account = decoder.account(try ConfigurationFile.read(file))
        guard let account, decoder.log.faults.isEmpty else { throw decoder.log.error }
        return account
    }

    /// Every account of a folder by file name. A broken one does not keep the others from being used.
    package static func loadAll(
        in directory: String, _ environment: ConfigurationEnvironment
    ) throws(ConfigurationError) -> [(file: String, result: Result<AccountConfiguration, ConfigurationError>)] {
        try ConfigurationFile.list(directory).map { file in
            (file, Result { () throws(ConfigurationError) in try load(file, environment) })
        }
    }
}
