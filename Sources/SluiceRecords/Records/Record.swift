package import FoundationEssentials

/// One record as it crosses the wire: sent in operations, received from lookups and feeds. A tombstone is a record with `isDeleted` and no fields.
package struct Record: Hashable, Sendable {
    /// Its identity in its zone. Empty only in a creation that leaves the choice to the service.
    package var recordName: String
    package var recordType: String?
    /// The server version that this copy is based on.
    package var changeTag: String?
    package var fields: [String: Field]
    /// The record name of its parent in the sharing tree.
    package var parent: String?
    package var created: RecordStamp?
    package var modified: RecordStamp?
    package var isDeleted: Bool
    package var zoneID: ZoneID?

    package init(
        _ recordName: String, type recordType: String? = nil, changeTag: String? = nil, fields: [String: Field] = [:],
        isDeleted: Bool = false, zoneID: ZoneID? = nil
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.changeTag = changeTag
        self.fields = fields
        self.isDeleted = isDeleted
        self.zoneID = zoneID
    }
}

/// When a record was made or last changed, by whom and on which device.
package struct RecordStamp: Hashable, Sendable {
    /// Milliseconds since 1970, by the service's clock.
    package var timestamp: Int64
    package var userRecordName: String?
    package var deviceID: String?

    package init(timestamp: Int64, userRecordName: String? = nil, deviceID: String? = nil) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }
}

/// A record whose fields are still the JSON that storage holds, so that an answer splices them instead of decoding them.
package struct StoredRecord: Hashable, Sendable {
    /// The record without its fields.
    package var head: Record
    /// The object of its fields, canonical: names in ascending order of their bytes.
    package var fieldsJSON: Data

    package init(head: Record, fieldsJSON: Data) {
        self.head = head
        self.fieldsJSON = fieldsJSON
    }

    /// The record with its fields.
    package func decoded() throws(WireError) -> Record {
        var record = head
        record.fields = try [String: Field].decode(JSONValue(parsing: fieldsJSON))
        return record
    }
}

extension RecordStamp: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("timestamp", timestamp)
        writer.member("userRecordName", userRecordName)
        writer.member("deviceID", deviceID)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            timestamp: try object.requiredInteger("timestamp"), userRecordName: try object.string("userRecordName"),
            deviceID: try object.string("deviceID"))
    }
}
