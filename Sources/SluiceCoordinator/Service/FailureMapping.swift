import SluiceHTTPClient
import SluiceSync

extension RequestFailure {
    /// What a failed transfer means to the sync core.
    init(_ error: HTTPClientError) {
        switch error.kind {
        case .certificate, .pinnedKey: self = .untrustedCertificate(error.description)
        case .tooLarge: self = .serviceFault(error.description, retryAfter: nil)
        case .invalidRequest: self = .refused(error.description)
        default: self = .unreachable(error.description)
        }
    }
}
