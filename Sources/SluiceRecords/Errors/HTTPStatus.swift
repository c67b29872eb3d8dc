// The one table between wire codes and HTTP statuses, in both directions.

extension ServerErrorCode {
    /// The status of an answer whose whole request failed with this code.
    package var httpStatus: Int {
        switch self {
        case .atomicError, .badRequest: 400
        case .authenticationFailed: 401
        case .accessDenied: 403
        case .notFound, .zoneNotFound: 404
        case .conflict, .exists, .uniqueFieldError, .operationIDReused: 409
        case .changeTokenExpired: 410
        case .validatingReferenceError: 412
        case .quotaExceeded, .limitExceeded: 413
        case .authenticationRequired: 421
        case .throttled: 429
        case .tryAgainLater, .zoneBusy: 503
        case .internalError, .other: 500
        }
    }

    /// What a bare status means when the body is no error of the dialect: a proxy's answer, for example.
    package init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 401: .authenticationFailed
            case 403: .accessDenied
            case 404: .notFound
            case 409: .conflict
            case 413: .limitExceeded
            case 421: .authenticationRequired
            case 429: .throttled
            case 408, 502, 503, 504: .tryAgainLater
            case 500..<600: .internalError
            default: .badRequest
            }
    }
}
