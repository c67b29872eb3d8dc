package import SluiceRecords
package import SluiceStore

/// Why a request as a whole came to nothing.
package enum RequestFailure: Error, Sendable, Hashable {
    case unreachable(String)
    case untrustedCertificate(String)
    case noCredentials(String)
    case notAuthorized
    case throttled(retryAfter: Double?)
    case serviceFault(String, retryAfter: Double?)
    case quotaFull(retryAfter: Double?)
    case zoneNotFound
    /// The zone that the token is of was deleted. `isBack`: somebody made it again since.
    case zoneDeleted(ZoneDeletionReason, isBack: Bool)
    /// Too many operations or bytes for this service; its limits where it says them.
    case tooLarge(ServiceLimits?)
    /// The whole request was refused as malformed: one of its records may be the cause.
    case malformed(String)
    /// The token is not the one that the account was identified by: whose it is has to be found out first. Nothing was sent.
    case credentialsChanged
    /// The operation id was used for another body, or its outcome is no longer known.
    case operationUnknown
    /// The sync token is of no use. `sameTimeline`: only too old; otherwise the service lost its memory.
    case tokenExpired(sameTimeline: Bool)
    case refused(String)

    /// Whether a smaller request may do.
    var mayBeTooMuch: Bool {
        switch self {
        case .tooLarge, .malformed: true
        default: false
        }
    }

    /// Whether the request may have had its effect all the same.
    var hidesEffect: Bool {
        switch self {
        case .unreachable, .serviceFault: true
        default: false
        }
    }
}

/// What happened, as the core is told.
package enum SyncEvent: Sendable {
    /// The store is open.
    /// - Parameter deletedZone: why the zone that the rows belonged to went, where a person has not said yet what is to become of it.
    case started(hasToken: Bool, frozen: [QueuedOperation], isFullFetch: Bool, deletedZone: ZoneDeletionReason? = nil)
    /// `remembersOperations`: an operation that comes twice has its effect once (`Idempotency-Key`).
    case identified(epochChanged: Bool, limits: ServiceLimits?, remembersOperations: Bool = true)
    case identificationFailed(RequestFailure)
    case accountChanged(expected: String, found: String)
    case zoneReady
    case zoneFailed(RequestFailure)
    /// Rows changed here.
    case changedLocally
    /// The service has something new, or it is time to look.
    case shouldPull
    case froze([QueuedOperation])
    /// An operation was answered and its outcomes are recorded.
    case answered(Int64, OutcomeSummary)
    case operationFailed(Int64, memberCount: Int, RequestFailure)
    /// What `thaw` or `setAside` wanted is done.
    case gaveUp(Int64, reconciling: Bool)
    /// Somebody else gave an operation up; its members wait to be looked up when `reconciling`, else to be sent.
    case thawed(reconciling: Bool)
    /// A page was applied with its token; `isMoving`: the token or the rows are not what they were before.
    case appliedPage(moreComing: Bool, recordCount: Int, isMoving: Bool = true)
    case pullFailed(RequestFailure)
    case finishedFeed
    case beganFullFetch
    /// The rows of a deleted zone are gone, but for what was not sent.
    case leftZone(ZoneDeletionReason)
    /// What was not sent is gone too.
    case forgotZone
    /// Conflicts were looked up and merged; `remaining`: more of them wait; `needsPull`: some could not be merged before the next pull.
    case reconciled(remaining: Bool, needsPull: Bool)
    case reconcileFailed(RequestFailure)
    /// A time that was asked for has come.
    case woke
    case storeFailed(String, isPassing: Bool)
    case pause
    case resume
    /// A person, or a new token or configuration, says: try now.
    case retryNow
    /// A person says: make the zone where it is not there, and send everything that is here.
    case recreateZone
    /// A person says of a deleted zone: give up what is unsent, and begin anew.
    case forgetZone
}

/// What the core wants done. The one who does it reports back with an event.
package enum SyncEffect: Sendable, Hashable {
    case identify
    case createZone
    case pullPage(fullFetch: Bool)
    case finishFeed
    case beginFullFetch(SyncJournal.FullFetchReason)
    /// Take leave of a zone that was deleted: its rows go, and what was not sent waits for a person.
    case leaveZone(ZoneDeletionReason)
    /// Give up what was not sent of a zone that was deleted.
    case forgetZone
    /// Look up to `count` records up.
    case reconcile(count: Int)
    case freeze(count: Int, limits: ServiceLimits)
    case send(Int64)
    /// Give an operation up; its members are looked up first when `reconciling`.
    case thaw(Int64, reconciling: Bool)
    /// Set the only member of an operation aside.
    case setAside(Int64, reason: String)
    case wake(at: Int64)
}
