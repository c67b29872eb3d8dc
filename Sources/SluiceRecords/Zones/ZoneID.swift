/// The name of a zone and, where it is not the caller's own, its owner.
package struct ZoneID: Hashable, Sendable {
    package var zoneName: String
    /// Nil: the current user.
    package var ownerRecordName: String?

    package init(_ zoneName: String, ownerRecordName: String? = nil) {
        self.zoneName = zoneName
        self.ownerRecordName = ownerRecordName
    }

    package static let defaultZoneName = "_defaultZone"
    package static let defaultZone = ZoneID(defaultZoneName)
    package var isDefault: Bool { zoneName == Self.defaultZoneName }
}

extension ZoneID: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("zoneName", zoneName)
        writer.member("ownerRecordName", ownerRecordName)
        writer.member("zoneType", isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(try object.requiredString("zoneName"), ownerRecordName: try object.string("ownerRecordName"))
    }
}

extension JSONObject {
    /// The zone that a request names; the default zone where it names none.
    func zoneID(_ key: String = "zoneID") throws(WireError) -> ZoneID? {
        guard let json = self[key] else { return nil }
        return try within(key) { () throws(WireError) in try ZoneID(json: json) }
    }
}
