package import SluiceRecords

/// Why storage could not do what a request asks.
package enum StorageError: Error, Sendable {
    /// The zone is not there, or was deleted.
    case zoneNotFound(ZoneID)
    /// The zone that the token is of was deleted. `isBack`: one of the same name was made since.
    case zoneDeleted(ZoneID, ZoneDeletionReason, isBack: Bool)
    /// The token is of this timeline, but so old that tombstones behind it may be forgotten: what does not come any more was deleted.
    case tokenTooOld(epoch: Epoch)
    /// The token names an entry that this timeline does not have: the database is of another epoch, or an older copy. What does not come any
    /// more was lost.
    case tokenOfAnotherTimeline
    /// The operation id stands in the ledger for another body.
    case operationReused(String)
    /// The records at hand do not allow the query; the reason is for the client.
    case queryRefused(String)
    /// The database would hold more than it may.
    case quotaExceeded
    /// Too much is waiting to be written; try again later.
    case overloaded
    /// The key was added before, perhaps for somebody else.
    case credentialExists
    /// The engine failed; the text is for the log, never for a client.
    case unavailable(String)
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .zoneNotFound(let zone), .zoneDeleted(let zone, _, false): "Zone '\(zone.zoneName)' does not exist"
        case .zoneDeleted(let zone, _, true): "Zone '\(zone.zoneName)' was deleted and made again"
        case .tokenTooOld: "the sync token is too old"
        case .tokenOfAnotherTimeline: "the sync token is of another timeline"
        case .operationReused(let id): "operation \(id) was used for another request body"
        case .queryRefused(let reason): reason
        case .quotaExceeded: "the account's storage is full"
        case .overloaded: "too many requests wait to be written"
        case .credentialExists: "the key is known already, perhaps revoked; make a new one"
        case .unavailable(let detail): "storage: \(detail)"
        }
    }
}
