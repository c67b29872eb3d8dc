/// The body of `records/lookup`. All names are of one zone.
package struct LookupRequest: Hashable, Sendable {
    package var recordNames: [String]
    package var zoneID: ZoneID?
    /// The fields that come back; nil: all.
    package var desiredKeys: [String]?
    package var numbersAsStrings: Bool
    /// Sluice: what the sender has seen of the zone; a service that is not on that timeline refuses the lookup.
    package var syncToken: String?
    /// Sluice: change tags that it was told of since.
    package var seenTags: [String]

    package init(
        recordNames: [String], zoneID: ZoneID?, desiredKeys: [String]? = nil, numbersAsStrings: Bool = false, syncToken: String? = nil,
        seenTags: [String] = []
    ) {
        self.recordNames = recordNames
        self.zoneID = zoneID
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
        self.syncToken = syncToken
        self.seenTags = seenTags
    }
}

extension LookupRequest: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for recordName in recordNames {
            writer.beginObject()
            writer.member("recordName", recordName)
            writer.endObject()
        }
        writer.endArray()
        try writer.member("zoneID", zoneID)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.member("syncToken", syncToken)
        if !seenTags.isEmpty { writer.member("seenChangeTags", seenTags) }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        recordNames = try object.requiredList("records") { json throws(WireError) in try json.asObject().requiredString("recordName") }
        zoneID = try object.zoneID()
        desiredKeys = try object.strings("desiredKeys")
        numbersAsStrings = try object.boolean("numbersAsStrings") ?? false
        syncToken = try object.string("syncToken")
        seenTags = try object.strings("seenChangeTags") ?? []
    }
}
