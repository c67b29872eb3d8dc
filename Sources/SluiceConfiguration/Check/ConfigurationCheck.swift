import Foundation
import SluiceSchema

/// Reads configuration files as the programs would, starts nothing, and keeps what is wrong.
package struct ConfigurationCheck: Sendable {
    /// The files that were read, each once.
    package private(set) var files: [String] = []
    /// In the order of the files and their lines, each once, though two accounts may name one schema.
    package private(set) var faults: [ConfigurationFault] = []

    /// Folders are searched for `.yaml` and `.yml` files, eight levels deep.
    package static func run(_ paths: [String], _ environment: ConfigurationEnvironment) -> ConfigurationCheck {
        var check = ConfigurationCheck()
        for path in paths { check.collect(URL(filePath: path).standardizedFileURL.path, depth: 0) }
        if check.files.isEmpty, check.faults.isEmpty {
            check.add([
                ConfigurationFault(
                    file: paths.joined(separator: ", "), position: .top, found: "no configuration file",
                    expected: "at least one that ends in .yaml")
            ])
        }
        var accounts: [LoadedAccount] = []
        var versions: [VersionFile] = []
        for file in check.files { check.read(file, environment, &accounts, &versions) }
        if check.faults.isEmpty { check.compare(versions) }
        for account in LoadedAccount.separated(accounts) {
            if case .failure(let error) = account.result { check.add(error.faults) }
        }
        return check
    }

    private mutating func collect(_ path: String, depth: Int) {
        guard ConfigurationFile.isDirectory(path) else {
            if !files.contains(path) { files.append(path) }
            return
        }
        do throws(ConfigurationError) {
            for file in try ConfigurationFile.list(path) where !files.contains(file) { files.append(file) }
            guard depth < 8 else { return }
            for folder in try ConfigurationFile.folders(in: path) { collect(folder, depth: depth + 1) }
        } catch {
            add(error.faults)
        }
    }

    private mutating func read(
        _ file: String, _ environment: ConfigurationEnvironment, _ accounts: inout [LoadedAccount], _ versions: inout [VersionFile]
    ) {
        do throws(ConfigurationError) {
            switch try ConfigurationFileKind(of: file) {
            case .account:
                accounts.append(LoadedAccount(file: file, result: .success(try AccountConfiguration.load(file, environment))))
            case .schema: versions.append(try SchemaFile.read(file))
            case .recordService: _ = try RecordServiceConfiguration.load(file)
            case .mapping: _ = try MappingFile.load(file)
            }
        } catch {
            add(error.faults)
        }
    }

    /// Versions of one schema in one folder lead from one to the next.
    private mutating func compare(_ versions: [VersionFile]) {
        let schemas = Dictionary(grouping: versions) { version in
            URL(filePath: version.file).deletingLastPathComponent().path + "\0" + version.release.schema.name
        }
        for (_, files) in schemas.sorted(by: { $0.key < $1.key }) where files.count > 1 { add(VersionFile.faults(of: files)) }
    }

    private mutating func add(_ others: [ConfigurationFault]) {
        for fault in others where !faults.contains(fault) { faults.append(fault) }
    }
}

/// What a configuration file is for: known from its place, else from the keys that only one kind has.
private enum ConfigurationFileKind {
    case account
    case schema
    case recordService
    case mapping

    init(of file: String) throws(ConfigurationError) {
        let folders = file.split(separator: "/").dropLast()
        if folders.last == "accounts.d" {
            self = .account
        } else if folders.suffix(2).contains("schemas") {
            self = .schema
        } else if case .mapping(let entries) = try ConfigurationFile.read(file).content {
            let keys = entries.map(\.key)
            let isService = keys.contains(RecordServiceKey.listen.rawValue) || keys.contains(RecordServiceKey.dataDirectory.rawValue)
            let isMapping = keys.contains(MappingKey.mapping.rawValue)
            self = isMapping ? .mapping : keys.contains(SchemaKey.entities.rawValue) ? .schema : isService ? .recordService : .account
        } else {
            self = .account
        }
    }
}
