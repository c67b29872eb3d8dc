/// The body of `changes/zone`: where to go on in each zone. Keys at the top of the body are defaults for every zone.
package struct ZoneChangesRequest: Hashable, Sendable {
    /// One zone's part.
    package struct Query: Hashable, Sendable {
        package var zoneID: ZoneID
        /// Nil: from the beginning. An empty text counts as nil.
        package var syncToken: String?
        /// Newest first.
        package var isReversed: Bool
        package var resultsLimit: Int?
        package var desiredKeys: [String]?
        package var desiredRecordTypes: [String]?
        package var numbersAsStrings: Bool
        /// Sluice: change tags that the sender was told of and the token does not cover.
        package var seenTags: [String]

        package init(
            _ zoneID: ZoneID, syncToken: String? = nil, isReversed: Bool = false, resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
            desiredRecordTypes: [String]? = nil, numbersAsStrings: Bool = false, seenTags: [String] = []
        ) {
            self.zoneID = zoneID
            self.syncToken = syncToken
            self.isReversed = isReversed
            self.resultsLimit = resultsLimit
            self.desiredKeys = desiredKeys
            self.desiredRecordTypes = desiredRecordTypes
            self.numbersAsStrings = numbersAsStrings
            self.seenTags = seenTags
        }
    }

    package var zones: [Query]

    package init(zones: [Query]) { self.zones = zones }
}

extension ZoneChangesRequest.Query: WireEncodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        writer.member("syncToken", syncToken)
        if isReversed { writer.member("reverse", true) }
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
        writer.member("desiredKeys", desiredKeys)
        writer.member("desiredRecordTypes", desiredRecordTypes)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        if !seenTags.isEmpty { writer.member("seenChangeTags", seenTags) }
        writer.endObject()
    }

    /// - Parameter defaults: the body, whose keys count where `object` lacks them; a zone and its token are never shared.
    package init(_ object: JSONObject, defaults: JSONObject = JSONObject(members: [])) throws(WireError) {
        guard let zoneID = try object.zoneID() else { throw WireError(.missing, "missing required key 'zoneID'") }
        let token = try object.string("syncToken")
        let settings = JSONObject(members: object.members + defaults.members.filter { object[$0.key] == nil })
        let limit = try settings.integer("resultsLimit")
        if let limit, limit < 1 { throw WireError(.unexpected, "a positive number was expected", path: "resultsLimit") }
        // Apple's page prints the key without the first `s` in one place.
        let key = settings["numbersAsStrings"] == nil ? "numberAsStrings" : "numbersAsStrings"
        self.init(
            zoneID,
            syncToken: token?.isEmpty == true ? nil : token,
            isReversed: try settings.boolean("reverse") ?? false,
            resultsLimit: limit.map(Int.init(clamping:)),
            desiredKeys: try settings.strings("desiredKeys"),
            desiredRecordTypes: try settings.strings("desiredRecordTypes"),
            numbersAsStrings: try settings.boolean(key) ?? false,
            // Of this zone alone, like the token.
            seenTags: try object.strings("seenChangeTags") ?? [])
    }
}

extension ZoneChangesRequest: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zones", zones)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        zones = try object.requiredList("zones") { json throws(WireError) in try Query(try json.asObject(), defaults: object) }
    }
}
