/// The codes of `serverErrorCode`. A code that is not listed survives as `other`.
package enum ServerErrorCode: Hashable, Sendable {
    /// The caller may not do this, whatever its credentials.
    case accessDenied
    /// An innocent member of a batch that failed as a whole.
    case atomicError
    /// A bad token, signature or environment.
    case authenticationFailed
    /// A user token is needed; `redirectURL` says where to get one.
    case authenticationRequired
    /// Malformed, against the schema, or a sync token that means nothing here.
    case badRequest
    /// The change tag is not the record's.
    case conflict
    /// A record of that name is already there.
    case exists
    case internalError
    case notFound
    /// The owner's storage is full.
    case quotaExceeded
    /// Too many requests; wait `retryAfter`.
    case throttled
    case tryAgainLater
    /// A VALIDATE reference would point nowhere.
    case validatingReferenceError
    case zoneNotFound
    case uniqueFieldError
    case zoneBusy
    /// Sluice: more operations or bytes than `limits` allows; split and send again.
    case limitExceeded
    /// Sluice: the sync token is older than the service's memory, or of another timeline; fetch from nothing and reconcile.
    case changeTokenExpired
    /// Sluice: the operation id stands in the ledger for another request body; look the records up and freeze anew.
    case operationIDReused
    /// A code of a newer or foreign service.
    case other(String)

    package static let known: [ServerErrorCode] = [
        .accessDenied, .atomicError, .authenticationFailed, .authenticationRequired, .badRequest, .conflict, .exists, .internalError,
        .notFound, .quotaExceeded, .throttled, .tryAgainLater, .validatingReferenceError, .zoneNotFound, .uniqueFieldError, .zoneBusy,
        .limitExceeded, .changeTokenExpired, .operationIDReused,
    ]
}

extension ServerErrorCode: RawRepresentable {
    package init(rawValue: String) {
        self = Self.known.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    package var rawValue: String {
        switch self {
        case .accessDenied: "ACCESS_DENIED"
        case .atomicError: "ATOMIC_ERROR"
        case .authenticationFailed: "AUTHENTICATION_FAILED"
        case .authenticationRequired: "AUTHENTICATION_REQUIRED"
        case .badRequest: "BAD_REQUEST"
        case .conflict: "CONFLICT"
        case .exists: "EXISTS"
        case .internalError: "INTERNAL_ERROR"
        case .notFound: "NOT_FOUND"
        case .quotaExceeded: "QUOTA_EXCEEDED"
        case .throttled: "THROTTLED"
        case .tryAgainLater: "TRY_AGAIN_LATER"
        case .validatingReferenceError: "VALIDATING_REFERENCE_ERROR"
        case .zoneNotFound: "ZONE_NOT_FOUND"
        case .uniqueFieldError: "UNIQUE_FIELD_ERROR"
        case .zoneBusy: "ZONE_BUSY"
        case .limitExceeded: "LIMIT_EXCEEDED"
        case .changeTokenExpired: "CHANGE_TOKEN_EXPIRED"
        case .operationIDReused: "OPERATION_ID_REUSED"
        case .other(let code): code
        }
    }

    /// Whether the same request may succeed later without anybody changing anything.
    package var isPassing: Bool {
        switch self {
        case .internalError, .throttled, .tryAgainLater, .zoneBusy: true
        default: false
        }
    }
}
