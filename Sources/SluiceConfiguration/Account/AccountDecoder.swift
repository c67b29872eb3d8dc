import SluiceSchema
import SluiceStore
import SluiceSync

/// Decodes one account file. Every section is decoded whatever the others were like, so that all faults are found at once.
struct AccountDecoder {
    let log: FaultLog
    let environment: ConfigurationEnvironment
    let place: ConfigurationPlace

    init(log: FaultLog, environment: ConfigurationEnvironment) {
        self.log = log
        self.environment = environment
        place = ConfigurationPlace(file: log.file)
    }

    func account(_ root: YAMLNode) -> AccountConfiguration? {
        let name = ConfigurationFile.stem(log.file)
        if ScalarKind.fileName.read(name) == nil {
            log.add(.top, found: "a file named `\(name)`", expected: ScalarKind.fileName.expectation)
        }
        guard let section = Section<AccountKey>(root, name: "", log: log) else { return nil }
        let service = section.requiredSection(.service, of: ServiceKey.self).flatMap { self.service($0) }
        let credentials = section.section(.credentials, of: CredentialsKey.self).map { self.credentials($0) }
        let legacy = self.legacy(section.section(.legacy, of: LegacyKey.self))
        let schema = section.requiredSection(.schema, of: SchemaSourceKey.self).flatMap { self.schema($0, legacy: legacy) }
        let synced = self.synced(section.section(.synced, of: SyncedKey.self), account: name)
        if section[.local] == nil { section.reportMissing(.local, expected: "a group container, or a list of them") }
        let groups = self.groups(section[.local])
        let schedule = self.schedule(section.section(.schedule, of: ScheduleKey.self))
        let history = section.section(.retention, of: RetentionKey.self)?.value(.history, .duration(.zero ... .days(3650)))
        checkNames(section, in: schema)
        checkMappings(legacy, in: schema)
        if let node = section[.synced], case .versions(let versions)? = schema { checkIdentities(synced, at: node.position, in: versions) }
        guard let service, let schema, !groups.isEmpty else { return nil }
        return AccountConfiguration(
            name: name, file: log.file, service: service, credentials: credentials ?? CredentialSources(apiToken: nil, userToken: nil, serverKey: nil, client: nil),
            schema: schema, synced: synced, groups: groups, legacy: legacy, schedule: schedule, historyRetention: history ?? .days(30))
    }

    private func service(_ section: Section<ServiceKey>) -> ServiceConfiguration? {
        let url = section.required(.url, .serviceURL)
        let container = section.required(.container, .fileName)
        let environment = section.value(.environment, .choice(ServiceConfiguration.Environment.self))
        let zone = section.value(.zone, .fileName)
        let authoritiesFile = section.path(.authoritiesFile, in: place, .file)
        let pinnedKeys = section.values(.pinnedKeys, .keySum)
        let proxy = section.value(.proxy, .proxy)
        guard let url, let container else { return nil }
        return ServiceConfiguration(
            url: url, container: container, environment: environment ?? .production, zone: zone, authoritiesFile: authoritiesFile,
            pinnedKeys: pinnedKeys ?? [], proxy: proxy ?? .environment)
    }

    private func credentials(_ section: Section<CredentialsKey>) -> CredentialSources {
        section.refuse(.apiTokenCredential, beside: .apiTokenFile)
        section.refuse(.userTokenCredential, beside: .userTokenFile)
        section.refuse(.serverKeyCredential, beside: .serverKeyFile)
        // A service lets a request in by its signature or by its tokens, and refuses one that has both.
        for key in [CredentialsKey.serverKeyFile, .serverKeyCredential] {
            for token in [CredentialsKey.apiTokenFile, .apiTokenCredential, .userTokenFile, .userTokenCredential] { section.refuse(key, beside: token) }
        }
        section.refuse(.clientKeyCredential, beside: .clientKeyFile)
        func source(_ file: CredentialsKey, _ credential: CredentialsKey) -> CredentialSource? {
            let path = section.path(file, in: place, .secret).map(CredentialSource.file)
            return section.value(credential, .fileName).map(CredentialSource.systemd) ?? path
        }
        return CredentialSources(
            apiToken: source(.apiTokenFile, .apiTokenCredential), userToken: source(.userTokenFile, .userTokenCredential),
            serverKey: source(.serverKeyFile, .serverKeyCredential), client: clientCertificate(section, key: source(.clientKeyFile, .clientKeyCredential)))
    }

    private func clientCertificate(_ section: Section<CredentialsKey>, key: CredentialSource?) -> CredentialSources.ClientCertificate? {
        let file = section.path(.clientCertificateFile, in: place, .file)
        // A certificate without its key, or the other way round, would go unused without a word.
        if section[.clientCertificateFile] != nil, section[.clientKeyFile] == nil, section[.clientKeyCredential] == nil {
            section.reportMissing(.clientKeyFile, expected: "the key of `clientCertificateFile`")
        }
        if section[.clientCertificateFile] == nil, section[.clientKeyFile] != nil || section[.clientKeyCredential] != nil {
            section.reportMissing(.clientCertificateFile, expected: "the certificate of that key")
        }
        guard let file, let key else { return nil }
        return CredentialSources.ClientCertificate(certificateFile: file, key: key)
    }

    private func schema(_ section: Section<SchemaSourceKey>, legacy: LegacyConfiguration) -> SchemaSource? {
        section.refuse(.fromLegacy, beside: .path)
        section.refuse(.compiled, beside: .path)
        section.refuse(.compiled, beside: .fromLegacy)
        if section.value(.compiled, .flag) == true { return .compiled }
        if let node = section[.fromLegacy], section.value(.fromLegacy, .flag) == true {
            if legacy.sources.isEmpty {
                log.add(node.position, found: "no source in `legacy`", expected: "at least one that the schema can be made from")
            }
            return .legacy
        }
        guard let path = section.requiredPath(.path, in: place, .fileOrDirectory) else { return nil }
        do throws(ConfigurationError) {
            return .versions(try SchemaFile.loadVersions(path))
        } catch {
            log.add(error.faults)
            return nil
        }
    }

    private func synced(_ section: Section<SyncedKey>?, account: String) -> SyncedConfiguration {
        var rules: [String: SyncedConfiguration.EntityRule] = [:]
        for entry in section?[.entities].flatMap({ log.entries($0, expected: "a mapping of entities by name") }) ?? [] {
            guard let rule = Section<SyncedEntityKey>(entry.value, name: entry.key, log: log) else { continue }
            rules[entry.key] = SyncedConfiguration.EntityRule(
                identity: rule.values(.identity, .text), conflicts: rule.value(.conflicts, .choice(among: ConflictPolicy.ofEntities)), fields: fieldPolicies(rule[.fields]),
                deletions: rule.value(.deletions, .choice()))
        }
        let directory = section?.path(.stateDirectory, in: place, .none)
        return SyncedConfiguration(stateDirectory: directory ?? "\(environment.stateDirectory)/\(account)", entities: rules,
            keepsKeyValues: section?.value(.keyValues, .flag) ?? false)
    }

    private func fieldPolicies(_ node: YAMLNode?) -> [String: ConflictPolicy] {
        let entries = node.flatMap { log.entries($0, expected: "a mapping of properties, each to its policy") } ?? []
        return Dictionary(
            entries.compactMap { entry in log.value(entry.value, .fieldPolicy).map { (entry.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    private func legacy(_ section: Section<LegacyKey>?) -> LegacyConfiguration {
        let nodes = section?[.sources].flatMap { log.list($0, expected: "a list of sources") } ?? []
        var lines: [String: Int] = [:]
        let sources = nodes.compactMap { node -> LegacyConfiguration.Source? in
            // A source on a volume that is not mounted yet is a state of the account, not a fault of the file.
            guard let source = Section<LegacySourceKey>(node, name: "sources", log: log),
                let path = source.requiredPath(.path, in: place, .none)
            else { return nil }
            if let line = lines[path] {
                log.add(source[.path]?.position ?? node.position, found: "\(path) again (first on line \(line))", expected: "each source once")
            }
            lines[path] = source[.path]?.position.line
            return LegacyConfiguration.Source(
                path: path, kind: source.value(.kind, .choice()) ?? .auto,
                mapping: source.path(.mapping, in: place, .file).flatMap { mapping($0) },
                position: source[.path]?.position ?? node.position)
        }
        return LegacyConfiguration(sources: sources, keep: section?.value(.keep, .keep) ?? .days(30))
    }

    private func mapping(_ path: String) -> LegacyMapping? {
        do throws(ConfigurationError) { return try MappingFile.load(path) } catch {
            log.add(error.faults)
            return nil
        }
    }

    private func schedule(_ section: Section<ScheduleKey>?) -> ScheduleConfiguration {
        ScheduleConfiguration(
            poll: section?.value(.poll, .duration(.seconds(1) ... .days(1))) ?? .seconds(300),
            pushDelay: section?.value(.pushDelay, .duration(.zero ... .seconds(3600))) ?? .milliseconds(250))
    }

    /// Where the schema is known, the names that other sections use must be in its newest version.
    private func checkNames(_ section: Section<AccountKey>, in schema: SchemaSource?) {
        guard case .versions(let versions)? = schema, let newest = versions.last else { return }
        let references = EntityReferences(schema: newest.schema, log: log)
        references.check(section[.synced], below: SyncedKey.entities.rawValue, properties: [SyncedEntityKey.identity.rawValue])
        references.check(section[.local], below: LocalKey.projections.rawValue, properties: [])
        PolicyCheck(schema: newest.schema, log: log).check(section[.synced])
        ProjectionCheck(newest.schema, log: log).check(section[.local])
    }
}

extension AccountDecoder {
    /// Mappings lead to names that the newest version has.
    private func checkMappings(_ legacy: LegacyConfiguration, in schema: SchemaSource?) {
        guard case .versions(let versions)? = schema, let newest = versions.last else { return }
        for mapping in Set(legacy.sources.compactMap(\.mapping)) { log.add(MappingFile.faults(of: mapping, into: newest.schema)) }
    }

    /// The account's identities hold in every version: a store has to get from one to the next with them, too.
    private func checkIdentities(_ synced: SyncedConfiguration, at position: Position, in versions: [SchemaRelease]) {
        let identities = synced.entities.compactMapValues(\.identity)
        guard !identities.isEmpty, log.faults.isEmpty else { return }
        do {
            let releases = try versions.map { SchemaRelease(try $0.schema.identified(by: identities), stage: $0.stage) }
            for (release, faults) in zip(releases, try ReleaseCheck.faults(of: releases)) {
                for fault in faults {
                    log.add(
                        position, found: "identities with which a store does not get to version \(release.schema.version) (\(fault))",
                        expected: "identities that all versions and what leads to them allow")
                }
            }
        } catch {
            log.add(
                position, found: "identities that contradict the schema (\(error))",
                expected: "attributes that every version of the entity has")
        }
    }
}

extension Duration {
    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
