// What a person says of a zone that was deleted on the service, over the control socket.

import SluiceSQLite
import SluiceStore
import SluiceSync

extension AccountRuntime {
    /// Makes the zone where it is not there, and sends what is here: what was not sent before it was deleted; or everything, where the rows are here,
    /// because this device has not heard of the deletion, or was restored from a backup. So is that of synced values, if it was deleted.
    package func recreateZone(_ request: SyncRequest) async throws -> AccountStatus {
        _ = try openSession()
        handle(.recreateZone)
        _ = try await keyValues?.answerDeletion(with: .recreateZone)
        return try await sync(request)
    }

    /// Gives up what was not sent before the zone was deleted, and begins anew with what the service has. The same for synced values.
    /// - Throws: `ControlFailure` where no zone was deleted; nothing is then given up.
    package func forgetZone(_ request: SyncRequest) async throws -> AccountStatus {
        _ = try openSession()
        let wasDeleted = try answerDeletion(with: .forgetZone)
        let valuesWereDeleted = try await keyValues?.answerDeletion(with: .forgetZone) ?? false
        guard wasDeleted || valuesWereDeleted else {
            throw ControlFailure(
                code: "refused", message: "the zone of account \(name) was not deleted: give up single records with `sluice outbox drop`")
        }
        return try await sync(request)
    }

    /// Tells the core what becomes of its zone, if that was deleted and nobody has said so yet.
    /// - Returns: whether it was. A store that is not open has heard of nothing.
    private func answerDeletion(with event: SyncEvent) throws -> Bool {
        guard let session, try session.store.syncValue(.deletedZone)?.text != nil else { return false }
        handle(event)
        return true
    }
}
