/// Something that goes wrong once, at the first request of its endpoint that comes.
package struct Fault: Sendable {
    package enum Kind: Sendable {
        /// The request has its effect; in place of the answer comes a gateway's page.
        case loseAnswer
        /// A gateway's page, and no effect.
        case gateway(status: Int)
        /// The service's own refusal of the whole request, and no effect.
        case refuse(status: Int, code: String, reason: String, retryAfter: Double?)
        /// Refusals of the first record of a request, which has no effect on it; the others have theirs.
        case refuseFirstRecord(code: String, retryAfter: Double?)
        /// The zone's element of a feed is refused.
        case refuseZone(code: String, reason: String, retryAfter: Double?)
    }

    package let endpoint: String
    package let kind: Kind

    package init(_ endpoint: String, _ kind: Kind) {
        self.endpoint = endpoint
        self.kind = kind
    }
}
