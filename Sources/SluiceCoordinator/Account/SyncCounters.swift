import SluiceRecords
import SluiceSync
import Synchronization

/// What an account's sync has done since its coordinator started. Safe on any thread.
final class SyncCounters: Sendable {
    struct Counts: Sendable {
        /// By endpoint, and by the kind of failure; both come from bounded sets.
        var requests: [String: Int] = [:]
        var failures: [String: Int] = [:]
        var pushedRecords = 0
        var refusedRecords = 0
        var pulledRecords = 0
        var pulledDeletions = 0
        var fieldConflicts = 0
        var fullFetches = 0
        var storeFailures = 0
    }

    private let contents = Mutex(Counts())

    var counts: Counts { contents.withLock { $0 } }

    func count(_ request: ExchangeRequest) { contents.withLock { $0.requests[request.endpoint.rawValue, default: 0] += 1 } }

    func count(_ failure: RequestFailure) { contents.withLock { $0.failures[failure.name, default: 0] += 1 } }

    func countStoreFailure() { contents.withLock { $0.storeFailures += 1 } }

    func count(_ report: SyncReport) {
        contents.withLock { counts in
            switch report.event {
            case .answered(_, let summary)?:
                counts.pushedRecords += summary.settledCount
                counts.refusedRecords += summary.setAsideCount
            case .beganFullFetch?: counts.fullFetches += 1
            default: break
            }
            guard let page = report.page else { return }
            counts.pulledRecords += page.appliedCount
            counts.pulledDeletions += page.deletedCount
            counts.fieldConflicts += page.conflictCount
        }
    }
}

extension RequestFailure {
    /// One word for each kind, without anything of the request.
    fileprivate var name: String {
        switch self {
        case .unreachable: "unreachable"
        case .untrustedCertificate: "untrustedCertificate"
        case .noCredentials: "noCredentials"
        case .notAuthorized: "notAuthorized"
        case .throttled: "throttled"
        case .serviceFault: "serviceFault"
        case .quotaFull: "quotaFull"
        case .zoneNotFound: "zoneNotFound"
        case .zoneDeleted: "zoneDeleted"
        case .tooLarge: "tooLarge"
        case .malformed: "malformed"
        case .operationUnknown: "operationUnknown"
        case .credentialsChanged: "credentialsChanged"
        case .tokenExpired: "tokenExpired"
        case .refused: "refused"
        }
    }
}
