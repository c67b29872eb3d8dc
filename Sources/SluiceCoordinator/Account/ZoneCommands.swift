// What a person says of a zone that was deleted on the service, over the control socket.

import SluiceSQLite
import SluiceStore
import SluiceSync

extension AccountRuntime {
    /// Makes the zone where it is not there, and sends what is here: what was not sent before it was deleted; or everything, where the rows are here,
    /// because this device has not heard of the deletion, or was restored from a backup. The same for synced values.
    package func recreateZone(_ request: SyncRequest) async throws -> AccountStatus {
        _ = try openSession()
        handle(.recreateZone)
        _ = try? await keyValues?.recreateZone(SyncRequest(waits: false))
        return try await sync(SyncRequest(waits: request.waits))
    }

    /// Gives up what was not sent before the zone was deleted, and begins anew with what the service has. The same for synced values.
    /// - Throws: `ControlFailure` where no zone was deleted; nothing is then given up.
    package func forgetZone(_ request: SyncRequest) async throws -> AccountStatus {
        let isLeft = try openSession().hasLeftZone
        let valuesAreLeft = try await keyValues?.hasLeftZone() ?? false
        guard isLeft || valuesAreLeft else {
            throw ControlFailure(
                code: "refused", message: "the zone of account \(name) was not deleted: give up single records with `sluice outbox drop`")
        }
        handle(.forgetZone)
        await keyValues?.handleForgetZone()
        return try await sync(SyncRequest(waits: request.waits))
    }

    private func hasLeftZone() throws -> Bool { try openSession().hasLeftZone }
    private func handleForgetZone() { handle(.forgetZone) }
}

extension AccountSession {
    /// Whether the zone of these rows was deleted, and nobody has said yet what is to become of it.
    fileprivate var hasLeftZone: Bool { get throws { try store.syncValue(.deletedZone)?.text != nil } }
}
