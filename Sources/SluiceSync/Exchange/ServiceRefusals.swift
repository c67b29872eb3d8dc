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
    /// - Parameters:
    ///   - token: what the feed was asked with.
    ///   - knowsZone: whether the zone was there when this device last heard of it.
    ///   - epoch: the service's timeline, as far as this device knows; nil for a service without one.
    package init(_ error: ServerError, ofFeedWith token: String?, knowsZone: Bool, epoch: Epoch?) {
        switch error.code {
        case .changeTokenExpired:
            if let reason = error.deletionReason { self = .zoneDeleted(reason, isBack: true) }
            else { self = .tokenExpired(sameTimeline: error.epoch != nil && error.epoch == epoch) }
        case .zoneNotFound where knowsZone:
            // A service with a timeline says why a zone went; of one that it never heard of it lost its memory. CloudKit says nothing.
            if let reason = error.deletionReason { self = .zoneDeleted(reason, isBack: false) }
            else { self = epoch == nil ? .zoneDeleted(.deleted, isBack: false) : .tokenExpired(sameTimeline: false) }
        case .badRequest where token != nil: self = .tokenExpired(sameTimeline: true)
        default: self.init(error)
        }
    }
}
