/// One page of a zone's feed.
package struct ZoneChanges: Hashable, Sendable {
    package var zoneID: ZoneID
    /// Where the next page begins. Apply the page and keep this in one transaction.
    package var syncToken: String
    /// Go on until this is false; a page may be empty before that.
    package var moreComing: Bool
    package var records: [RecordResult]
    package var numbersAsStrings = false

    package init(_ zoneID: ZoneID, syncToken: String, moreComing: Bool, records: [RecordResult]) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.moreComing = moreComing
        self.records = records
    }
}

/// The answer of `changes/zone`, an element per zone asked for.
package struct ZoneChangesResponse: Hashable, Sendable {
    package enum Element: Hashable, Sendable {
        case changes(ZoneChanges)
        case failure(ZoneID, ServerError)
    }

    package var zones: [Element]
    /// Sluice: the service's timeline.
    package var epoch: Epoch?

    package init(zones: [Element], epoch: Epoch? = nil) {
        self.zones = zones
        self.epoch = epoch
    }
}

extension ZoneChanges: WireEncodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        try writePage(to: &writer)
        writer.endObject()
    }

    /// The page without its zone: the whole body of the deprecated `records/changes`.
    func writePage(to writer: inout JSONWriter) throws(WireError) {
        writer.member("syncToken", syncToken)
        writer.member("moreComing", moreComing)
        writer.numbersAsStrings = numbersAsStrings
        try writer.member("records", records)
        writer.numbersAsStrings = false
    }

    package init(zoneID: ZoneID, page object: JSONObject) throws(WireError) {
        self.init(
            zoneID,
            syncToken: try object.requiredString("syncToken"),
            moreComing: try object.boolean("moreComing") ?? false,
            records: try object.list("records") { json throws(WireError) in try RecordResult(json: json) } ?? [])
    }
}

extension ZoneChangesResponse: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zones", zones)
        writer.member("epoch", epoch?.text)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            zones: try object.requiredList("zones") { json throws(WireError) in try Element(json: json) },
            epoch: try object.string("epoch").flatMap(Epoch.init(text:)))
    }
}

extension ZoneChangesResponse.Element: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        switch self {
        case .changes(let changes): try changes.write(to: &writer)
        case .failure(let zoneID, let error): try ZoneResult.failure(zoneID, error).write(to: &writer)
        }
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        guard let zoneID = try object.zoneID() else { throw WireError(.missing, "missing required key 'zoneID'") }
        if let error = try ServerError(object) {
            self = .failure(zoneID, error)
        } else {
            self = .changes(try ZoneChanges(zoneID: zoneID, page: object))
        }
    }
}

/// The answer of the deprecated `records/changes`: one page, its zone left out.
package struct RecordChangesResponse: WireEncodable, Sendable {
    package var page: ZoneChanges

    package init(page: ZoneChanges) { self.page = page }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try page.writePage(to: &writer)
        writer.endObject()
    }
}
