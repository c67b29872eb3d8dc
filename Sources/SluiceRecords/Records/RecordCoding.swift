// The JSON of a record. Keys are written in one fixed order and fields in ascending order of their names' bytes, so that the same record
// always gives the same bytes: frozen operations and digests over records rest on that.

package import FoundationEssentials

extension [String: Field] {
    /// Names ascending by bytes.
    /// - Parameter omittingNulls: leaves out fields without a value.
    package func write(to writer: inout JSONWriter, omittingNulls: Bool = false) throws(WireError) {
        writer.beginObject()
        for (name, field) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) where !omittingNulls || field.value != nil {
            writer.key(name)
            try within("fields.\(name)") { () throws(WireError) in try field.write(to: &writer) }
        }
        writer.endObject()
    }

    /// The canonical bytes that a service keeps.
    /// - Parameter omittingNulls: leaves out fields without a value.
    package func canonicalJSON(omittingNulls: Bool = false) throws(WireError) -> Data {
        var writer = JSONWriter(capacity: 64 * count)
        try write(to: &writer, omittingNulls: omittingNulls)
        return writer.data
    }

    package static func decode(_ json: JSONValue) throws(WireError) -> [String: Field] {
        let object = try json.asObject()
        var fields = [String: Field](minimumCapacity: object.members.count)
        for member in object.members {
            fields[member.key] = try within(member.key) { () throws(WireError) in try Field(json: member.value) }
        }
        return fields
    }
}

extension Record: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        try writeObject(to: &writer) { writer throws(WireError) in try fields.write(to: &writer) }
    }

    /// Writes all keys; `writeFields` writes the value of `fields`, which a tombstone does not have.
    func writeObject(
        to writer: inout JSONWriter, _ writeFields: (inout JSONWriter) throws(WireError) -> Void
    ) throws(WireError) {
        writer.beginObject()
        writer.member("recordName", recordName.isEmpty ? nil : recordName)
        writer.member("recordType", recordType)
        writer.member("recordChangeTag", changeTag)
        if !isDeleted {
            writer.key("fields")
            try writeFields(&writer)
            writer.key("pluginFields")
            writer.beginObject()
            writer.endObject()
            if let parent { try writer.member("parent", ParentReference(recordName: parent)) }
        }
        try writer.member("created", created)
        try writer.member("modified", modified)
        writer.member("deleted", isDeleted)
        try writer.member("zoneID", zoneID)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            try object.string("recordName") ?? "",
            type: try object.string("recordType"),
            changeTag: try object.string("recordChangeTag"),
            isDeleted: try object.boolean("deleted") ?? false,
            zoneID: try object.zoneID())
        if let json = object["fields"] { fields = try within("fields") { () throws(WireError) in try [String: Field].decode(json) } }
        if let json = object["parent"] { parent = try within("parent") { () throws(WireError) in try ParentReference(json: json).recordName } }
        if let json = object["created"] { created = try within("created") { () throws(WireError) in try RecordStamp(json: json) } }
        if let json = object["modified"] { modified = try within("modified") { () throws(WireError) in try RecordStamp(json: json) } }
    }
}

extension StoredRecord: WireEncodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        // Numbers as text change inside the fields, so there they are read and written anew.
        if writer.numbersAsStrings { return try decoded().write(to: &writer) }
        try head.writeObject(to: &writer) { writer throws(WireError) in writer.encoded(fieldsJSON) }
    }
}

/// `{"recordName":"…"}`
private struct ParentReference: WireEncodable, WireDecodable {
    let recordName: String

    init(recordName: String) { self.recordName = recordName }

    func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("recordName", recordName)
        writer.endObject()
    }

    init(json: JSONValue) throws(WireError) { recordName = try json.asObject().requiredString("recordName") }
}
