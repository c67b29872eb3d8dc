// Which file a configuration means. A synced store is the account's, wherever the configuration points; a store that is only read from a group
// container may be the one that a coordinator fills, whose number changes; everything else is the configuration's own URL.

import Foundation
import SluiceReader
import SluiceSchema
import SluiceSQLite

/// The file of one configuration's store.
struct StoreFile: Sendable {
    private let place: Place
    /// Held for a synced store.
    let entitlement: (any SyncEntitlement)?

    private enum Place {
        case memory
        case fixed(String)
        /// The store that the group container's pointer names at the moment.
        case projected(GroupContainer)
    }

    /// - Throws: `SwiftDataError.missingEntitlement` for a synced store that this process may not open.
    init(_ configuration: ModelConfiguration) throws {
        let path = configuration.url.path(percentEncoded: false)
        if let container = configuration.cloudKitDatabase.identifier, !configuration.isStoredInMemoryOnly {
            guard let entitlement = SyncEntitlements.entitlement(for: container) else {
                throw SwiftDataError.missingEntitlement.because(
                    """
                    configuration \(configuration.name) names the synced store of \(container), and no coordinator of that container runs in this \
                    process: embed one first, or read the group container that the coordinator fills
                    """)
            }
            self.entitlement = entitlement
            place = .fixed(entitlement.storeURL.path(percentEncoded: false))
            return
        }
        entitlement = nil
        if configuration.isStoredInMemoryOnly {
            place = .memory
        } else if configuration.groupAppContainerIdentifier != nil, !configuration.allowsSave, !FileManager.default.fileExists(atPath: path) {
            place = .projected(GroupContainer(directory: configuration.url.deletingLastPathComponent().path(percentEncoded: false)))
        } else {
            place = .fixed(path)
        }
    }

    /// nil for a store in memory.
    /// - Throws: `ReaderError` where a group container has no store yet.
    var path: String? {
        get throws {
            switch place {
            case .memory: nil
            case .fixed(let path): path
            case .projected(let container): try container.currentPath()
            }
        }
    }

    /// Refuses a coordinator's store to everybody who is not entitled to it, whatever the configuration calls it.
    /// - Throws: `SwiftDataError.ownedBy` with the process that runs the account, `.missingEntitlement` where none does.
    func checkOwner(_ connection: Connection) throws {
        guard entitlement == nil, let owner = try StoreHeader.value("owner", in: connection)?.text else { return }
        let text = "\(connection.path) is the synced store of \(owner)"
        let lock = URL(filePath: connection.path).deletingLastPathComponent().appending(path: "coordinator.lock")
        guard let holder = Self.runningProcess(lockedIn: lock) else {
            throw SwiftDataError.missingEntitlement.because("\(text): only its coordinator opens it; read the group container that it fills")
        }
        throw SwiftDataError.ownedBy(holder).because("\(text), which process \(holder) runs: read the group container that it fills")
    }

    /// The process whose number a coordinator's lock says, if that process is alive.
    private static func runningProcess(lockedIn file: URL) -> Int32? {
        // A lock that cannot be read tells nothing; the caller then names no process.
        guard let text = try? String(contentsOf: file, encoding: .utf8), let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            FileManager.default.fileExists(atPath: "/proc/\(number)")
        else { return nil }
        return number
    }
}
