import SluiceHTTPServer
import SluiceRecords

/// `getCurrentSyncToken=true` in the query of `records/query` and `records/lookup`: the answer says from where the zone's feed goes on.
///
/// Taken before the records are read, so that a change in between comes twice and never not at all.
struct CurrentSyncToken {
    let service: RecordService

    /// Nil where nobody asks.
    /// - Parameter zone: nil for all zones, which have no common feed.
    func text(for request: ServiceRequest, zone: ZoneID?) async throws -> String? {
        guard request.http.queryValue("getCurrentSyncToken")?.lowercased() == "true" else { return nil }
        guard let zone, !zone.isDefault else { throw ServerError(.badRequest, "syncToken operations supported only in SyncZone") }
        let zones = try await service.storage.zones(in: request.caller.database)
        guard let found = zones.first(where: { $0.zoneID.zoneName == zone.zoneName }) else { throw StorageError.zoneNotFound(zone) }
        return found.syncToken
    }
}
