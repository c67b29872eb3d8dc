// Who may open a synced store: the process that holds its account's coordinator lock, and nobody else. A store that syncs is migrated and sent by one
// process; whoever opened it "just for reading" would have to know what that process is doing to it.
//
// This module knows no coordinator. One that runs in the process registers here when it has the lock.

package import Foundation
package import SluiceSchema
import Synchronization

/// The right to open the synced store of one container, held by a coordinator in this process.
package protocol SyncEntitlement: AnyObject, Sendable {
    /// The container at the record service: what `ModelConfiguration.CloudKitDatabase.private` names.
    var containerIdentifier: String { get }
    /// The synced store's file.
    var storeURL: URL { get }
    /// The shape of the store, identities included: the classes of a container lie in it.
    var schema: SluiceSchema.Schema { get }
    /// What record names are made in: the account's zone.
    var zone: String { get }
    /// Called after a commit of this module's, on the thread that committed: something may be there to send and to project.
    func storeDidChange()
}

/// The entitlements of this process. May be used from any thread.
package enum SyncEntitlements {
    private static let held = Mutex<[String: any SyncEntitlement]>([:])

    /// - Returns: false where another coordinator of this process holds that container; then nothing changes.
    package static func register(_ entitlement: any SyncEntitlement) -> Bool {
        held.withLock { held in
            guard held[entitlement.containerIdentifier] == nil else { return false }
            held[entitlement.containerIdentifier] = entitlement
            return true
        }
    }

    /// Gives the right back: containers that are open stay open, none is opened any more.
    package static func withdraw(_ entitlement: any SyncEntitlement) {
        held.withLock { held in
            if held[entitlement.containerIdentifier] === entitlement { held[entitlement.containerIdentifier] = nil }
        }
    }

    static func entitlement(for containerIdentifier: String) -> (any SyncEntitlement)? { held.withLock { $0[containerIdentifier] } }
}
