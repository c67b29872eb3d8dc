// A coordinator owns the synced store, so it is the one that migrates it: when it opens the store and finds it in another version than the
// account's schema. Helpers go on reading the last generation meanwhile, and are told; whoever asks for a write waits, or is told, as they
// chose. A migration that the schemas, the rows or a stage's code refuse is not tried again by itself: it would end the same way.

import Foundation
import SluiceGroup
import SluiceReader
import SluiceRecords
import SluiceSQLite
import SluiceSchema
package import SluiceStore
import SluiceSync

/// Where a migration stands, as `sluice status --json` prints it.
package struct MigrationStatus: Codable, Hashable, Sendable {
    /// From 1.
    package var stage: Int
    package var stageCount: Int
    package var name: String
}

extension AccountPlan {
    /// The migration of the account's store; nil where its schema comes from the store itself.
    /// - Throws: `CoordinatorError.schemaUnavailable` where the schema is a program's.
    package func storeUpgrade() throws -> StoreUpgrade? {
        switch schema {
        case .fromLegacy: return nil
        case .compiled:
            throw CoordinatorError.schemaUnavailable(
                account: name, detail: "it is compiled into a program, which migrates the store when it embeds the coordinator")
        case .fixed(let wanted):
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            return storeUpgrade(to: wanted, latestStamp: now + SyncExchange.clockTolerance)
        }
    }

    func storeUpgrade(to wanted: Schema, latestStamp: Int64) -> StoreUpgrade {
        var options = Store.Options(zone: zone)
        options.owner = owner
        var upgrade = StoreUpgrade(
            path: storePath, wanted: wanted, options: options, supplied: supplied(), plan: upgradePlan)
        upgrade.companion = SyncedUpgrade(zone: ZoneID(zone), latestStamp: latestStamp)
        return upgrade
    }
}

extension AccountRuntime {
    /// Brings the store, where there is one, to the schema that is wanted.
    /// - Returns: the schema as the store has it, or is to have it.
    /// - Throws: `CoordinatorError.notMigrated` where it is refused, what kept it from being tried, `CancellationError` where the account is
    ///   stopping. The store is then as it was.
    func migrate(to wanted: Schema, in directory: StateDirectory) throws -> Schema {
        var upgrade = plan.storeUpgrade(to: wanted, latestStamp: milliseconds + SyncExchange.clockTolerance)
        upgrade.isCancelled = { self.isStopAnnounced }
        upgrade.report = { self.noteMigration($0) }
        do {
            let shape = try upgrade.run()
            migrationFailure = nil
            return shape
        } catch {
            announce(.current)
            if isStopAnnounced { throw CancellationError() }
            // A full disk, a wrong mode or a busy store gets mended, and is tried again by itself; what the plan, the rows or the code say
            // stays so until somebody changes it.
            guard error is UpgradeRefusal || error is MigrationRefusal || error is StageFailure else { throw error }
            let failure = CoordinatorError.notMigrated(account: name, detail: "\(error)")
            migrationFailure = failure
            throw failure
        }
    }

    private func noteMigration(_ event: UpgradeEvent) {
        switch event {
        case .backingUp(let byteCount):
            log(.notice("account \(name): backing up the store before its migration (about \(byteCount.inMebibytes))"))
            show(nil)
        case .began(let place):
            log(.notice("account \(name): migrating, stage \(place.number) of \(place.count): \(place.name)"))
            show(MigrationStatus(stage: place.number, stageCount: place.count, name: place.name))
            announce(.migrating(MigrationProgress(stage: place.number, of: place.count, named: place.name)))
        case .copying, .working, .waiting: break
        case .finished(let place, let changes, let duration):
            log(.notice("account \(name): stage \(place.number) of \(place.count) took \(Self.seconds(duration)), \(changes) changes by its code"))
        case .committed(let version, let duration):
            log(.notice("account \(name): the store is of version \(version) now; that took \(Self.seconds(duration))"))
        }
        reportProgress()
    }

    private static func seconds(_ duration: Duration) -> String { String(format: "%.1f s", duration / .seconds(1)) }

    private func show(_ migration: MigrationStatus?) {
        updateBoard { status in
            status.state = "migrating"
            status.migration = migration
        }
    }

    /// Tells helpers. They can do without: the store that they read is what it was.
    func announce(_ state: ContainerPointer.State) {
        for group in plan.groups where FileManager.default.fileExists(atPath: group.directory) {
            do {
                try GroupDirectory(preparing: group.directory, unixGroup: group.unixGroup).announce(state)
            } catch {
                log(.warning("account \(name): helpers of \(group.name) are not told of the migration: \(error)"))
            }
        }
    }
}
