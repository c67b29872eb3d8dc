import SluiceRecords

/// What a request that failed comes to, whatever was asked.
enum FailureConsequence {
    /// Nothing goes on before a person acts.
    case block(BlockReason)
    /// It is tried again; `asked`: after so many seconds, by the service's word.
    case wait(WaitReason, asked: Double?)
    /// Whose token it is has to be found out first.
    case identifyAgain
    /// The zone is not there, or not as it was; the feed says why.
    case doubtZone
    case loseZone(ZoneDeletionReason, isBack: Bool)
}

extension RequestFailure {
    /// What it comes to where nothing particular is done about it.
    var consequence: FailureConsequence {
        switch self {
        case .untrustedCertificate(let detail): .block(.untrustedCertificate(detail))
        case .noCredentials(let detail): .block(.noCredentials(detail))
        case .notAuthorized: .block(.notAuthorized)
        case .refused(let detail), .malformed(let detail): .block(.refused(detail))
        case .unreachable(let detail): .wait(.unreachable(detail), asked: nil)
        case .throttled(let seconds): .wait(.throttled, asked: seconds)
        case .serviceFault(let detail, let seconds): .wait(.serviceFault(detail), asked: seconds)
        case .quotaFull(let seconds): .wait(.quotaFull, asked: seconds)
        case .zoneNotFound: .doubtZone
        case .zoneDeleted(let reason, let isBack): .loseZone(reason, isBack: isBack)
        case .credentialsChanged: .identifyAgain
        case .tooLarge, .operationUnknown, .tokenExpired: .wait(.serviceFault("an answer out of place"), asked: nil)
        }
    }
}
