internal import Foundation
internal import SluiceCoordinator
internal import SluiceData
internal import SluiceHTTPClient
internal import SluiceSchema
internal import Synchronization

/// A running account of this process. Made by `SluiceCoordinator.embed`; may be used from any thread.
public final class EmbeddedCoordinator: Sendable {
    let runtime: AccountRuntime
    private let entitlement: Entitlement
    private let running: Task<Void, Never>

    init(_ plan: AccountPlan, log: @escaping @Sendable (String) -> Void) async throws {
        let runtime = AccountRuntime(plan, http: try HTTPClient(plan.http), version: "embedded") { log($0.text) }
        try await runtime.open()
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let shape: SluiceSchema.Schema
        do {
            shape = try await runtime.start()
        } catch {
            await runtime.stop()
            await runtime.run()
            throw error
        }
        let entitlement = Entitlement(plan, schema: shape, changed: changed)
        guard SyncEntitlements.register(entitlement) else {
            await runtime.stop()
            await runtime.run()
            throw EmbeddingError(account: plan.name, reason: "another coordinator of this process runs container \(plan.service.container)")
        }
        self.runtime = runtime
        self.entitlement = entitlement
        running = Task {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in changes { await runtime.noteForeignChange() }
                }
                await runtime.run()
                changed.finish()
            }
        }
    }

    /// The account's name.
    public var account: String { runtime.name }

    /// What the account is doing, as one word: `idle`, `pushing`, `pulling`, `waiting`, `blocked`, `paused`, `stopped`.
    public var state: String { runtime.status.state }
    /// Why it waits or is blocked; nil while it works.
    public var reason: String? { runtime.status.reason }

    /// Syncs now, and returns when everything is in step, or nothing moves because the account waits or is blocked.
    public func sync() async throws {
        _ = try await runtime.sync(SyncRequest(waits: true))
    }

    /// After the zone was deleted on the service (`state` is `blocked`): makes it again, and sends what is here. Returns as `sync` does.
    public func recreateZone() async throws { _ = try await runtime.recreateZone(SyncRequest(waits: true)) }

    /// After the zone was deleted on the service: gives up what was not sent before, and begins anew with what the service has. It stays readable in
    /// history. Returns as `sync` does.
    /// - Throws: an error that says so where no zone was deleted; nothing is then given up.
    public func forgetZone() async throws { _ = try await runtime.forgetZone(SyncRequest(waits: true)) }

    /// Gives the entitlement back and ends the account: what is under way is finished or rolled back, and nothing that was saved is lost.
    /// Containers that are open stay usable.
    public func stop() async {
        SyncEntitlements.withdraw(entitlement)
        runtime.announceStop()
        await runtime.stop()
        await running.value
    }
}

/// The right of this process to the account's synced store.
private final class Entitlement: SyncEntitlement {
    let containerIdentifier: String
    let storeURL: URL
    let schema: SluiceSchema.Schema
    let zone: String
    private let changed: AsyncStream<Void>.Continuation

    init(_ plan: AccountPlan, schema: SluiceSchema.Schema, changed: AsyncStream<Void>.Continuation) {
        containerIdentifier = plan.service.container
        storeURL = URL(filePath: plan.storePath)
        self.schema = schema
        zone = plan.zone
        self.changed = changed
    }

    func storeDidChange() { changed.yield() }
}
