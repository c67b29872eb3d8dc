/// The body of `records/query`.
package struct RecordQueryRequest: Hashable, Sendable {
    package var query: RecordQuery
    /// Nil: the default zone, or with `isZoneWide` all of them.
    package var zoneID: ZoneID?
    /// Counts only where no zone is named.
    package var isZoneWide: Bool
    package var resultsLimit: Int?
    /// The fields that come back; nil: all.
    package var desiredKeys: [String]?
    package var numbersAsStrings: Bool
    /// What the page before gave; the query must be the same.
    package var continuationMarker: String?

    package init(
        _ query: RecordQuery, zoneID: ZoneID? = nil, isZoneWide: Bool = false, resultsLimit: Int? = nil, desiredKeys: [String]? = nil,
        numbersAsStrings: Bool = false, continuationMarker: String? = nil
    ) {
        self.query = query
        self.zoneID = zoneID
        self.isZoneWide = isZoneWide
        self.resultsLimit = resultsLimit
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
        self.continuationMarker = continuationMarker
    }
}

extension RecordQueryRequest: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        if isZoneWide { writer.member("zoneWide", true) }
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
        try writer.member("query", query)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.member("continuationMarker", continuationMarker)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let query = try within("query") { () throws(WireError) in try RecordQuery(json: .object(try object.requiredObject("query"))) }
        let limit = try object.integer("resultsLimit")
        if let limit, limit < 1 { throw WireError(.unexpected, "a positive number was expected", path: "resultsLimit") }
        let marker = try object.string("continuationMarker")
        self.init(
            query, zoneID: try object.zoneID(), isZoneWide: try object.boolean("zoneWide") ?? false,
            resultsLimit: limit.map(Int.init(clamping:)), desiredKeys: try object.strings("desiredKeys"),
            numbersAsStrings: try object.boolean("numbersAsStrings") ?? false,
            continuationMarker: marker?.isEmpty == true ? nil : marker)
    }
}

/// The answer of `records/query`: one page.
package struct RecordQueryResponse: Hashable, Sendable, WireEncodable, WireDecodable {
    package var records: [RecordResult]
    /// Nil on the last page.
    package var continuationMarker: String?

    package init(records: [RecordResult], continuationMarker: String? = nil) {
        self.records = records
        self.continuationMarker = continuationMarker
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("records", records)
        writer.member("continuationMarker", continuationMarker)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        records = try object.requiredList("records") { json throws(WireError) in try RecordResult(json: json) }
        continuationMarker = try object.string("continuationMarker")
    }
}
