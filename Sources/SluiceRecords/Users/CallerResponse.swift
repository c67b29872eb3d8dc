/// The answer of `users/caller` and `users/current`: who the user token belongs to.
///
/// One family of clients reads the identity at the top, another in `users`; both are written, and either is read.
package struct CallerResponse: Hashable, Sendable {
    package var userRecordName: String
    /// Sluice: the service's timeline.
    package var epoch: Epoch?
    /// Sluice: what one request may carry.
    package var limits: ServiceLimits?

    package init(userRecordName: String, epoch: Epoch? = nil, limits: ServiceLimits? = nil) {
        self.userRecordName = userRecordName
        self.epoch = epoch
        self.limits = limits
    }
}

extension CallerResponse: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("userRecordName", userRecordName)
        writer.key("users")
        writer.beginArray()
        writer.beginObject()
        writer.member("userRecordName", userRecordName)
        writer.endObject()
        writer.endArray()
        writer.member("epoch", epoch?.text)
        try writer.member("limits", limits)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let listed = try object.list("users") { json throws(WireError) in try json.asObject().requiredString("userRecordName") }
        guard let userRecordName = try object.string("userRecordName") ?? listed?.first else {
            throw WireError(.missing, "missing required key 'userRecordName'")
        }
        self.init(
            userRecordName: userRecordName,
            epoch: try object.string("epoch").flatMap(Epoch.init(text:)),
            limits: try object["limits"].map { json throws(WireError) in try ServiceLimits(json: json) })
    }
}
