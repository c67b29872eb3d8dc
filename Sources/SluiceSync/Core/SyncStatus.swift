/// What sync is doing, as people and programs are told.
package enum SyncState: Sendable, Hashable {
    /// Everything known here is on the service and the other way round, as of the last look.
    case idle
    case pushing
    case pulling
    /// Tried again at that time, in milliseconds since 1970.
    case waiting(until: Int64, reason: WaitReason)
    /// Nothing happens before somebody acts.
    case blocked(BlockReason)
    case paused
}

package enum WaitReason: Sendable, Hashable {
    case unreachable(String)
    case throttled
    case serviceFault(String)
    case quotaFull
    case disk(String)

    package var text: String {
        switch self {
        case .unreachable(let detail): "the service cannot be reached: \(detail)"
        case .throttled: "the service asked to wait"
        case .serviceFault(let detail): "the service failed: \(detail)"
        case .quotaFull: "the account's quota on the service is full: free space there, or raise the quota"
        case .disk(let detail): "the store cannot be written: \(detail)"
        }
    }
}

package enum BlockReason: Sendable, Hashable {
    case noCredentials(String)
    case notAuthorized
    case untrustedCertificate(String)
    case accountChanged(expected: String, found: String)
    case zoneDeleted
    case refused(String)
    case store(String)

    package var text: String {
        switch self {
        case .noCredentials(let detail): "no credentials: \(detail)"
        case .notAuthorized: "the service does not accept the token: it expired or was revoked"
        case .untrustedCertificate(let detail): "the service's certificate is not trusted: \(detail)"
        case .accountChanged(let expected, let found): "the token belongs to user \(found), but these rows belong to \(expected)"
        case .zoneDeleted: "the zone was deleted on the service; its rows are gone here too, what was not sent is kept"
        case .refused(let detail): "the service refuses the requests: \(detail)"
        case .store(let detail): "the store cannot be used: \(detail)"
        }
    }

    /// What a person does about it.
    package var advice: String {
        switch self {
        case .noCredentials: "put a token where the account file points, then run `sluice sync`"
        case .notAuthorized: "issue a new token, put it where the account file points, then run `sluice sync`"
        case .untrustedCertificate: "check the URL; for a certificate of your own, name its CA in the account file"
        case .accountChanged: "use a token of the first user, or another account file for the second one"
        case .zoneDeleted: "run `sluice zone recreate` to make it again and send what is here, or `sluice zone forget` to give up what was not sent"
        case .refused: "check the container, the environment and the versions of both sides"
        case .store: "restore a backup of the state directory, or move it away to fetch everything again; unsent changes are in it"
        }
    }
}
