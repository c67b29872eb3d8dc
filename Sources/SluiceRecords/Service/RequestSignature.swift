package import Foundation

/// What a server-to-server key signs of a request, and how it travels: three headers, nothing in the query.
///
/// The text is `date:hash:target`: the date as its header has it, the SHA-256 sum of the body's bytes in base64, and the request's target from
/// `/database` on. A request without a body may leave the middle part empty. Its sum is signed with ECDSA on P-256, in DER and base64.
package enum RequestSignature {
    /// How far the date may be from the service's clock, in milliseconds: a request that somebody recorded is worth nothing afterwards.
    package static let clockTolerance: Int64 = 600_000

    /// - Parameter bodyDigest: SHA-256 of the body as it travels; nil leaves the middle part empty.
    package static func message(date: String, bodyDigest: Data?, target: String) -> Data {
        Data("\(date):\(bodyDigest?.base64EncodedString() ?? ""):\(target)".utf8)
    }

    /// UTC in whole seconds: `2016-01-25T22:15:43Z`.
    package static func date(milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    }

    /// Milliseconds since 1970; nil for anything but what `date` writes.
    package static func milliseconds(ofDate text: String) -> Int64? {
        guard text.utf8.count == 20, text.hasSuffix("Z") else { return nil }
        do { return Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970 * 1_000) } catch { return nil }
    }
}
