// The three field values that are JSON objects: locations, references and assets.

/// A place on earth. Only the coordinates are always there.
package struct Location: Hashable, Sendable {
    package var latitude: Double
    package var longitude: Double
    package var horizontalAccuracy: Double?
    package var verticalAccuracy: Double?
    package var altitude: Double?
    package var speed: Double?
    package var course: Double?
    /// Milliseconds since 1970.
    package var timestamp: Int64?

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

extension Location: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("latitude", latitude)
        try writer.member("longitude", longitude)
        try writer.member("horizontalAccuracy", horizontalAccuracy)
        try writer.member("verticalAccuracy", verticalAccuracy)
        try writer.member("altitude", altitude)
        try writer.member("speed", speed)
        try writer.member("course", course)
        writer.member("timestamp", timestamp)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(latitude: try object.requiredDouble("latitude"), longitude: try object.requiredDouble("longitude"))
        horizontalAccuracy = try object.double("horizontalAccuracy")
        verticalAccuracy = try object.double("verticalAccuracy")
        altitude = try object.double("altitude")
        speed = try object.double("speed")
        course = try object.double("course")
        timestamp = try object.integer("timestamp")
    }
}

/// A pointer from one record to another.
package struct Reference: Hashable, Sendable {
    package enum Action: String, Hashable, Sendable {
        /// No integrity.
        case none = "NONE"
        /// Deleting the target deletes the holder.
        case deleteSelf = "DELETE_SELF"
        /// The target must exist and cannot be deleted while this points at it.
        case validate = "VALIDATE"
    }

    package var recordName: String
    /// Nil: the holder's own zone.
    package var zoneID: ZoneID?
    package var action: Action

    package init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}

extension Reference: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("recordName", recordName)
        try writer.member("zoneID", zoneID)
        writer.member("action", action.rawValue)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        let text = try object.requiredString("action")
        guard let action = Action(rawValue: text) else {
            throw WireError(.unexpected, "NONE, DELETE_SELF or VALIDATE was expected", path: "action")
        }
        self.init(
            recordName: try object.requiredString("recordName"),
            zoneID: try object["zoneID"].map { json throws(WireError) in try ZoneID(json: json) },
            action: action)
    }
}

/// A file that stands beside the record. Which keys are there depends on the direction: `receipt` only in uploads,
/// `downloadURL` only in answers.
package struct Asset: Hashable, Sendable {
    package var fileChecksum: String?
    package var size: Int64?
    package var referenceChecksum: String?
    package var wrappingKey: String?
    package var receipt: String?
    package var downloadURL: String?

    package init(fileChecksum: String? = nil, size: Int64? = nil) {
        self.fileChecksum = fileChecksum
        self.size = size
    }
}

extension Asset: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("fileChecksum", fileChecksum)
        writer.member("size", size)
        writer.member("referenceChecksum", referenceChecksum)
        writer.member("wrappingKey", wrappingKey)
        writer.member("receipt", receipt)
        writer.member("downloadURL", downloadURL)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(fileChecksum: try object.string("fileChecksum"), size: try object.integer("size"))
        referenceChecksum = try object.string("referenceChecksum")
        wrappingKey = try object.string("wrappingKey")
        receipt = try object.string("receipt")
        downloadURL = try object.string("downloadURL")
    }
}
