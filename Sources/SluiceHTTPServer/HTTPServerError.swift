/// Why a server did not start.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// The host has no address, or the address cannot be bound.
        case cannotBind
        /// libmicrohttpd refused: a certificate or key it cannot read, or a lack of descriptors.
        case cannotStart
    }

    package let code: Code
    /// The address or part that it concerns.
    package let subject: String
    /// What happened and what to do next.
    package let detail: String

    package var description: String { "\(subject): \(detail)" }
}
