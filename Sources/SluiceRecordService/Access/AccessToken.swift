package import Foundation
import SluiceDigest

/// A token's text, which only its holder keeps, and the digest by which the service knows it.
package struct AccessToken: Sendable {
    package let text: String
    package var digest: Data { Self.digest(of: text) }

    /// 64 hexadecimal digits, the form that clients of the dialect expect of an API token.
    package static func api(_ random: inout some RandomNumberGenerator) -> AccessToken {
        AccessToken(text: bytes(32, &random).hexadecimal)
    }

    /// Free of the characters that must be escaped in a query, so that a client that forgets to escape is understood all the same.
    package static func user(_ random: inout some RandomNumberGenerator) -> AccessToken {
        AccessToken(text: "slu1_" + bytes(32, &random).hexadecimal)
    }

    package static func digest(of text: String) -> Data { Digest.sha256(Data(text.utf8)) }

    private static func bytes(_ count: Int, _ random: inout some RandomNumberGenerator) -> Data {
        Data((0..<count).map { _ in random.next() })
    }
}
