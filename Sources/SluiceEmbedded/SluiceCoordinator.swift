// A coordinator inside a program: the process that has the models owns the synced store and syncs it; every other process reads the group
// container that this one fills. (Articles 000 and 002 ask for two configurations; this is the part that they leave to the app.)

internal import Foundation
internal import SluiceConfiguration
internal import SluiceCoordinator
public import SluiceData
internal import SluiceHTTPClient
internal import SluiceSchema
internal import SluiceSync

/// Starts coordinators in this process.
public enum SluiceCoordinator {
    /// Runs one account here, with the schema that the model classes say.
    ///
    ///     let coordinator = try await SluiceCoordinator.embed(account: "shop", models: [Item.self])
    ///     let synced = ModelConfiguration(schema: Schema([Item.self]), cloudKitDatabase: .private("iCloud.example.shop"))
    ///     let container = try ModelContainer(for: Item.self, configurations: synced)
    ///
    /// When this returns, the account's lock is held, its store is open, and configurations whose `cloudKitDatabase` is `.private` with the
    /// account's container open in this process. It goes on until `EmbeddedCoordinator.stop()`.
    /// - Parameters:
    ///   - account: the name of the account file, whose `schema` says `compiled: true`.
    ///   - models: the classes that sync; those that they refer to come along.
    ///   - plan: how a store of an earlier version becomes one of theirs; nil where everything follows from the two shapes. The store is
    ///     migrated before this returns, in one transaction; what the plan's code changes in records is sent, and loses to every edit by a person.
    ///   - rules: what becomes of edits of the same by two devices; it goes before what the account file says.
    ///   - directory: the configuration directory; nil for the usual one (`$XDG_CONFIG_HOME/sluice`, else `/etc/sluice`).
    ///   - log: called with each line that the coordinator has to say, from any thread. Lines carry counts and names, never values.
    /// - Throws: `EmbeddingError`: the account file's faults, a lock that another process holds, a store of another schema.
    public static func embed(
        account: String, models: [any PersistentModel.Type], migrationPlan plan: (any SchemaMigrationPlan.Type)? = nil,
        merging rules: [MergeRule] = [], configurationDirectory directory: String? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(EmbeddingError) -> EmbeddedCoordinator {
        do {
            let environment = ConfigurationEnvironment(variables: ProcessInfo.processInfo.environment)
            let loads = Coordinator.loads(in: directory ?? environment.configurationDirectory, only: account, environment)
            switch loads.first {
            case .plan(var account, _)?:
                let configured = account.schema
                guard case .compiled = configured else {
                    throw EmbeddingError(
                        account: account.name, reason: "its schema is not the program's: write `compiled: true` in the account file")
                }
                let coordinated = try CoordinatedPlan(
                    models, plan: plan, named: configured.name, store: URL(filePath: account.storePath)
                ) { try configured.identified($0) }
                account.schema = .fixed(coordinated.wanted)
                account.upgradePlan = coordinated.upgradePlan
                account.supplied = coordinated.supplied
                for rule in rules {
                    if let reason = rule.add(to: &account.policies) { throw EmbeddingError(account: account.name, reason: reason) }
                }
                if let fault = account.policies.fault(in: coordinated.wanted) { throw EmbeddingError(account: account.name, reason: "\(fault)") }
                return try await EmbeddedCoordinator(account, log: log)
            case .broken(_, let reason)?: throw EmbeddingError(account: account, reason: reason)
            case nil: throw EmbeddingError(account: account, reason: "there is no such account file")
            }
        } catch let error as EmbeddingError {
            throw error
        } catch {
            throw EmbeddingError(account: account, reason: "\(error)")
        }
    }
}

/// Why an account could not be started in this process.
public struct EmbeddingError: Error, CustomStringConvertible {
    public let account: String
    /// What happened, and what to do.
    public let reason: String

    public var description: String { "account \(account) is not started: \(reason)" }
}
