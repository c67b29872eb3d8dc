/// An error as the service words it: for a whole request (then with a `uuid`), or for one record or zone of an answer.
package struct ServerError: Error, Hashable, Sendable {
    package var code: ServerErrorCode
    package var reason: String
    /// Seconds until the same thing may be tried again. Absent: not by itself.
    package var retryAfter: Double?
    /// Where a person signs in.
    package var redirectURL: String?
    /// Names the request in the service's log.
    package var uuid: String?
    /// Sluice: the service's current timeline, with `changeTokenExpired`.
    package var epoch: Epoch?
    /// Sluice: what one request may carry, with `limitExceeded`.
    package var limits: ServiceLimits?
    /// Sluice: why the zone of a sync token went, with `zoneNotFound`, or with `changeTokenExpired` where it was made again since.
    package var deletionReason: ZoneDeletionReason?

    package init(
        _ code: ServerErrorCode, _ reason: String, retryAfter: Double? = nil, redirectURL: String? = nil, uuid: String? = nil,
        epoch: Epoch? = nil, limits: ServiceLimits? = nil, deletionReason: ZoneDeletionReason? = nil
    ) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        self.redirectURL = redirectURL
        self.uuid = uuid
        self.epoch = epoch
        self.limits = limits
        self.deletionReason = deletionReason
    }
}

extension ServerError: WireEncodable, CustomStringConvertible {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writeMembers(to: &writer)
        writer.endObject()
    }

    /// For an element that also names its record or zone.
    func writeMembers(to writer: inout JSONWriter) throws(WireError) {
        writer.member("uuid", uuid)
        writer.member("serverErrorCode", code.rawValue)
        writer.member("reason", reason)
        if let retryAfter {
            // Whole seconds are written as such: some clients read an integer here.
            if let seconds = Int64(exactly: retryAfter) { writer.member("retryAfter", seconds) } else { try writer.member("retryAfter", retryAfter) }
        }
        writer.member("redirectURL", redirectURL)
        writer.member("epoch", epoch?.text)
        try writer.member("limits", limits)
        writer.member("deletionReason", deletionReason?.rawValue)
    }

    /// Nil where `object` carries no error code.
    package init?(_ object: JSONObject) throws(WireError) {
        guard let code = try object.string("serverErrorCode") else { return nil }
        self.init(
            ServerErrorCode(rawValue: code), try object.string("reason") ?? "",
            retryAfter: try object.double("retryAfter"), redirectURL: try object.string("redirectURL"), uuid: try object.string("uuid"),
            epoch: try object.string("epoch").flatMap(Epoch.init(text:)),
            limits: try object["limits"].map { json throws(WireError) in try ServiceLimits(json: json) },
            deletionReason: try object.string("deletionReason").flatMap(ZoneDeletionReason.init(rawValue:)))
    }

    package var description: String { reason.isEmpty ? code.rawValue : "\(code.rawValue): \(reason)" }
}
