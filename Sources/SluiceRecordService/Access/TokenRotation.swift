package import Foundation
import SluiceDigest

/// How a user token gives way to its successor, which comes with an answer.
///
/// The successor is worked out from the token and the service's key, so that two answers to one token name the same, and nothing has to be kept of
/// it but its digest. It takes over with its first use: whoever loses the answer, or dies before it has kept what it says, goes on with the token
/// that it has.
package enum TokenRotation: String, Hashable, Sendable, CaseIterable {
    /// Answers name a successor once the token is ten minutes old; then the old one is good for ten minutes more, for requests on their way.
    case lenient
    /// Every answer names a successor, and its first use ends the old one: one request at a time.
    case strict

    /// How long a lenient token is announced to stay, and how long it is good after its successor came into use; milliseconds.
    static let grace: Int64 = 600_000
}

extension AccessToken {
    /// The token that comes after this one.
    /// - Parameter key: the service's own.
    package func successor(key: Data) -> AccessToken {
        AccessToken(text: "slu1_" + Digest.authenticationCode(of: Data("after \(text)".utf8), key: key).hexadecimal)
    }
}
