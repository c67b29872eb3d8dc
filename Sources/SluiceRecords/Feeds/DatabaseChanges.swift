/// The body of `changes/database`: which zones changed since a token of the database?
package struct DatabaseChangesRequest: Hashable, Sendable {
    package var syncToken: String?
    package var resultsLimit: Int?
    /// Sluice: with nothing new, hold the answer for as long, or until something changes.
    package var waitSeconds: Int?

    package init(syncToken: String? = nil, resultsLimit: Int? = nil, waitSeconds: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
        self.waitSeconds = waitSeconds
    }
}

/// The answer of `changes/database`.
package struct DatabaseChangesResponse: Hashable, Sendable {
    package var zones: [Zone]
    package var syncToken: String
    package var moreComing: Bool
    /// Sluice: the service's timeline.
    package var epoch: Epoch?

    package init(zones: [Zone], syncToken: String, moreComing: Bool, epoch: Epoch? = nil) {
        self.zones = zones
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.epoch = epoch
    }
}

extension DatabaseChangesRequest: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("syncToken", syncToken)
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
        writer.member("waitSeconds", waitSeconds.map(Int64.init))
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let token = try object.string("syncToken")
        let limit = try object.integer("resultsLimit")
        if let limit, limit < 1 { throw WireError(.unexpected, "a positive number was expected", path: "resultsLimit") }
        self.init(
            syncToken: token?.isEmpty == true ? nil : token,
            resultsLimit: limit.map(Int.init(clamping:)),
            waitSeconds: try object.integer("waitSeconds").map { min(max(0, Int(clamping: $0)), ServiceLimits.waitSeconds) })
    }
}

extension DatabaseChangesResponse: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zones", zones)
        writer.member("syncToken", syncToken)
        writer.member("moreComing", moreComing)
        writer.member("epoch", epoch?.text)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            zones: try object.requiredList("zones") { json throws(WireError) in try Zone(json: json) },
            syncToken: try object.requiredString("syncToken"),
            moreComing: try object.boolean("moreComing") ?? false,
            epoch: try object.string("epoch").flatMap(Epoch.init(text:)))
    }
}
