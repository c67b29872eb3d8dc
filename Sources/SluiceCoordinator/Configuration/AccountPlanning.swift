import Foundation
package import SluiceConfiguration
import SluiceDigest
import SluiceGroup
import SluiceHTTPClient
import SluiceImport
import SluiceRecords
package import SluiceSchema
import SluiceStore
import SluiceStore
import SluiceSync

extension AccountPlan {
    /// The plan of a checked account file.
    /// - Throws: `FilterError` and `SchemaError` for a projection or an identity that does not fit the schema.
    package init(_ configuration: AccountConfiguration, _ environment: ConfigurationEnvironment) throws {
        let schema = try SchemaPlan(configuration)
        self.init(
            name: configuration.name, stateDirectory: configuration.synced.stateDirectory, schema: schema,
            zone: configuration.service.zone ?? schema.name,
            service: ServiceAddress(
                url: configuration.service.url, container: configuration.service.container,
                environment: configuration.service.environment == .development ? .development : .production),
            http: try Self.http(configuration, environment),
            credentials: Self.credentials(configuration.credentials, environment))
        let releases = try SchemaPlan.releases(configuration)
        if !releases.isEmpty { upgradePlan = { _ in UpgradePlan(releases: releases) } }
        policies = configuration.synced.policies
        pollInterval = configuration.schedule.poll
        pushDelay = configuration.schedule.pushDelay
        historyRetention = configuration.historyRetention
        keepsKeyValues = configuration.synced.keepsKeyValues
        groups = try configuration.groups.map { group in
            GroupPlan(
                name: group.group, directory: group.groupDirectory, unixGroup: group.unixGroup,
                projections: try group.projections.map(Self.projection))
        }
        legacy = LegacyPlan(
            sources: configuration.legacy.sources.map { .init(path: $0.path, kind: Self.kind($0.kind), mapping: $0.mapping) },
            keep: configuration.legacy.keep)
    }

    private static func kind(_ configured: LegacyConfiguration.Source.Kind) -> LegacyKind? {
        switch configured {
        case .auto: nil
        case .coredata: .coreData
        case .sluice: .sluice
        case .json: .json
        }
    }

    /// - Throws: `CredentialError`.
    private static func http(_ configuration: AccountConfiguration, _ environment: ConfigurationEnvironment) throws -> HTTPClientConfiguration {
        let service = configuration.service
        var http = HTTPClientConfiguration()
        http.pinnedKeys = service.pinnedKeys
        http.clientCertificate = try configuration.credentials.client.map {
            .init(certificateFile: $0.certificateFile, keyFile: try $0.key.path(environment))
        }
        http.extraAuthoritiesFile = service.authoritiesFile
        http.proxy =
            switch service.proxy {
            case .none: .none
            case .environment: .environment(environment.variables)
            case .url(let address): .url(address)
            }
        return http
    }

    private static func credentials(
        _ sources: CredentialSources, _ environment: ConfigurationEnvironment
    ) -> @Sendable () throws -> Credentials {
        {
            if let source = sources.serverKey {
                let text = try source.text(environment)
                do throws(KeyError) { return Credentials(serverKey: try SigningKey(pem: text)) } catch {
                    throw UnusableCredential(detail: "\(try source.path(environment)): \(error)")
                }
            }
            guard let source = sources.userToken else { throw UnusableCredential(detail: "the account file names no user token") }
            guard let token = try source.load(environment) else { throw UnusableCredential(detail: "no token: the token file is empty") }
            return Credentials(apiToken: try sources.apiToken?.load(environment), userToken: token)
        }
    }

    private struct UnusableCredential: Error, CustomStringConvertible {
        let detail: String
        var description: String { detail }
    }

    static func projection(_ configured: LocalConfiguration.Projection) throws -> Projection {
        Projection(
            configured.entity, where: try configured.condition.map { try RowFilter(parsing: $0) }, fields: configured.fields,
            derived: try configured.derived.map { .init($0.name, try FilterExpression(parsing: $0.expression)) },
            order: RowOrder(configured.order.map { .init(PropertyPath(stringLiteral: $0.field), isDescending: $0.isDescending) }),
            limit: configured.limit, freshness: configured.freshness)
    }
}

/// Where an account's schema comes from.
package enum SchemaPlan: Sendable {
    case fixed(Schema)
    /// From the store where there is one, else from the first legacy source; the name is the schema's and the zone's.
    case fromLegacy(name: String)
    /// From the model classes of the program that embeds the coordinator, with the identities that the account file names.
    case compiled(name: String, identities: [String: [String]])

    package var name: String {
        switch self {
        case .fixed(let schema): schema.name
        case .fromLegacy(let name), .compiled(let name, _): name
        }
    }

    /// Differs where the schema does.
    fileprivate var fingerprint: String {
        get throws {
            switch self {
            case .fixed(let schema): String(decoding: try schema.canonicalEncoding(), as: UTF8.self)
            case .fromLegacy(let name): name
            case .compiled(let name, let identities): "\(name) \(identities.sorted { $0.key < $1.key })"
            }
        }
    }

    /// A program's own schema with the identities that the account file names.
    /// - Throws: `SchemaError` where an identity does not fit the schema.
    package func identified(_ schema: Schema) throws -> Schema {
        guard case .compiled(_, let identities) = self else { return schema }
        return try schema.identified(by: identities)
    }

    init(_ configuration: AccountConfiguration) throws {
        switch configuration.schema {
        case .compiled:
            self = .compiled(
                name: configuration.service.zone ?? configuration.name,
                identities: configuration.synced.entities.compactMapValues(\.identity))
        case .legacy: self = .fromLegacy(name: configuration.service.zone ?? configuration.name)
        case .versions:
            guard let newest = try Self.releases(configuration).last else {
                throw CoordinatorError.schemaUnavailable(account: configuration.name, detail: "its schema folder holds no version")
            }
            self = .fixed(newest.schema)
        }
    }

    /// The versions that are known from files, the oldest first, with the identities that the account file names: those hold for every
    /// version that has the entity.
    fileprivate static func releases(_ configuration: AccountConfiguration) throws -> [SchemaRelease] {
        guard case .versions(let releases) = configuration.schema else { return [] }
        let identities = configuration.synced.entities.compactMapValues(\.identity)
        return try releases.map { SchemaRelease(try $0.schema.identified(by: identities), stage: $0.stage) }
    }
}

extension Coordinator {
    /// Reads account files: all of the configuration directory, or one account's.
    package static func loads(
        in directory: String, only account: String?, _ environment: ConfigurationEnvironment
    ) -> [AccountLoad] {
        let accounts: [LoadedAccount]
        do throws(ConfigurationError) { accounts = try AccountConfiguration.loadAll(in: directory + "/accounts.d", environment) } catch {
            return [.broken(name: account ?? AccountLoad.all, reason: error.description)]
        }
        let wanted = accounts.filter { account == nil || $0.accountName == account }
        if let account, wanted.isEmpty { return [.broken(name: account, reason: "\(CoordinatorError.noSuchAccount(account))")] }
        return wanted.map { loaded in
            do {
                let configuration = try loaded.result.get()
                // What a reload compares: the text of the file and of its mappings, and the schema it names with what leads there.
                let files = [loaded.file] + configuration.legacy.sources.compactMap(\.mapping?.file)
                let text = files.map { FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) } ?? "" }.joined()
                let plan = try AccountPlan(configuration, environment)
                let stages = try SchemaPlan.releases(configuration).map { SchemaFile.yaml(for: $0) }.joined()
                return .plan(plan, fingerprint: text + (try plan.schema.fingerprint) + stages)
            } catch {
                return .broken(name: loaded.accountName, reason: "\(error)")
            }
        }
    }
}

extension LoadedAccount {
    var accountName: String { URL(filePath: file).deletingPathExtension().lastPathComponent }
}
