// zones/list, zones/lookup, zones/modify.

/// The body of `zones/lookup`.
package struct ZonesLookupRequest: Hashable, Sendable, WireEncodable, WireDecodable {
    package var zones: [ZoneID]

    package init(zones: [ZoneID]) { self.zones = zones }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zones", zones)
        writer.endObject()
    }

    /// Elements are zone identifiers; some clients wrap each in `{"zoneID":…}`.
    package init(json: JSONValue) throws(WireError) {
        zones = try json.asObject().requiredList("zones") { element throws(WireError) in
            let object = try element.asObject()
            return try ZoneID(json: object["zoneID"] ?? element)
        }
    }
}

/// One change to the set of zones.
package struct ZoneOperation: Hashable, Sendable, WireEncodable, WireDecodable {
    package enum Kind: String, Hashable, Sendable { case create, delete }

    package var kind: Kind
    package var zoneID: ZoneID
    /// With `delete`, from Sluice clients: what the other devices are told.
    package var deletionReason: ZoneDeletionReason?

    package init(_ kind: Kind, _ zoneID: ZoneID, deletionReason: ZoneDeletionReason? = nil) {
        self.kind = kind
        self.zoneID = zoneID
        self.deletionReason = deletionReason
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("operationType", kind.rawValue)
        writer.member("deletionReason", deletionReason?.rawValue)
        writer.key("zone")
        writer.beginObject()
        try writer.member("zoneID", zoneID)
        writer.endObject()
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        guard let kind = Kind(rawValue: try object.requiredString("operationType")) else {
            throw WireError(.unexpected, "create or delete was expected", path: "operationType")
        }
        let zone = try object.requiredObject("zone")
        self.init(
            kind,
            try within("zone.zoneID") { () throws(WireError) in try ZoneID(json: .object(try zone.requiredObject("zoneID"))) },
            deletionReason: try object.string("deletionReason").flatMap(ZoneDeletionReason.init(rawValue:)))
    }
}

/// The body of `zones/modify`. Each operation is tried on its own.
package struct ZonesModifyRequest: Hashable, Sendable, WireEncodable, WireDecodable {
    package var operations: [ZoneOperation]

    package init(operations: [ZoneOperation]) { self.operations = operations }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("operations", operations)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        operations = try json.asObject().requiredList("operations") { json throws(WireError) in try ZoneOperation(json: json) }
    }
}

/// The answer of all three.
package struct ZonesResponse: Hashable, Sendable, WireEncodable, WireDecodable {
    package var zones: [ZoneResult]

    package init(zones: [ZoneResult]) { self.zones = zones }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("zones", zones)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        zones = try json.asObject().requiredList("zones") { json throws(WireError) in try ZoneResult(json: json) }
    }
}
