package import SluiceRecords

extension RequestFailure {
    /// What the service's refusal of a whole request means to the sync core.
    package init(_ error: ServerError) {
        switch error.code {
        case .authenticationRequired, .authenticationFailed: self = .notAuthorized
        case .accessDenied: self = .refused(error.description)
        case .throttled: self = .throttled(retryAfter: error.retryAfter)
        case .quotaExceeded: self = .quotaFull(retryAfter: error.retryAfter)
        case .zoneNotFound: self = .zoneNotFound
        case .limitExceeded: self = .tooLarge(error.limits)
        case .changeTokenExpired: self = .tokenExpired(sameTimeline: true)
        // Of a whole request: its operation id was used for another body.
        case .operationIDReused, .conflict, .exists: self = .operationUnknown
        case .badRequest: self = .malformed(error.description)
        case let code where code.isPassing: self = .serviceFault(error.description, retryAfter: error.retryAfter)
        default: self = .refused(error.description)
        }
    }

    /// What the service's refusal of one zone in a feed means. CloudKit has no code of its own for a token it no longer takes.
    package init(_ error: ServerError, ofFeedWith token: String?, epoch: Epoch?) {
        switch error.code {
        case .changeTokenExpired: self = .tokenExpired(sameTimeline: error.epoch != nil && error.epoch == epoch)
        case .badRequest where token != nil: self = .tokenExpired(sameTimeline: true)
        default: self.init(error)
        }
    }
}
