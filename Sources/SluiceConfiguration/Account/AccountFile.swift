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
    ) throws(ConfigurationError) -> [LoadedAccount] {
        let accounts = try ConfigurationFile.list(directory).map { file in
            LoadedAccount(file: file, result: Result { () throws(ConfigurationError) in try load(file, environment) })
        }
        return LoadedAccount.separated(accounts)
    }
}

/// What came of one account file.
package struct LoadedAccount: Sendable {
    package let file: String
    package let result: Result<AccountConfiguration, ConfigurationError>

    /// Accounts share no directory: of two that do, the second one is refused. Nor is a store of one a legacy source of another, or of itself:
    /// it is written while it would be copied.
    static func separated(_ accounts: [LoadedAccount]) -> [LoadedAccount] {
        var owners: [String: String] = [:]
        let states = accounts.compactMap { loaded -> (file: String, directory: String)? in
            // A broken account is told by itself.
            guard case .success(let account) = loaded.result else { return nil }
            return (account.file, account.synced.stateDirectory)
        }
        return accounts.map { loaded in
            guard case .success(let account) = loaded.result else { return loaded }
            let directories = [account.synced.stateDirectory] + account.groups.map(\.groupDirectory)
            let faults = directories.compactMap { directory in
                owners[directory].map { owner in
                    ConfigurationFault(
                        file: account.file, position: .top, found: "the directory \(directory), which \(owner) uses too",
                        expected: "a state directory and a group of its own")
                }
            } + account.legacy.sources.compactMap { fault(of: $0, account, states) }
            guard faults.isEmpty else { return LoadedAccount(file: loaded.file, result: .failure(ConfigurationError(faults))) }
            for directory in directories { owners[directory] = account.file }
            return loaded
        }
    }

    private static func fault(
        of source: LegacyConfiguration.Source, _ account: AccountConfiguration, _ states: [(file: String, directory: String)]
    ) -> ConfigurationFault? {
        /// Links are followed as far as there is something: a source that is not there yet lies behind one as well.
        func resolved(_ path: String) -> String {
            var (there, rest) = (URL(filePath: path), [String]())
            while there.path != "/", !FileManager.default.fileExists(atPath: there.path) {
                rest.append(there.lastPathComponent)
                there.deleteLastPathComponent()
            }
            return rest.reversed().reduce(there.resolvingSymlinksInPath()) { $0.appending(path: $1) }.path
        }
        let path = resolved(source.path)
        guard let owner = states.first(where: { path.hasPrefix(resolved($0.directory) + "/") }) else { return nil }
        return ConfigurationFault(
            file: account.file, position: source.position, found: "\(source.path), in the state directory of \(owner.file)",
            expected: "a source outside: what lies there is the program's own; name a copy of it")
    }
}
