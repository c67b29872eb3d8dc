/// One change to one record.
package struct RecordOperation: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Fails where the record is there.
        case create
        /// Changes the given fields of the version that the change tag names.
        case update
        /// Changes the given fields of whatever is there, or creates.
        case forceUpdate
        /// Replaces the version that the change tag names; absent fields go.
        case replace
        /// Replaces whatever is there, or creates.
        case forceReplace
        /// Deletes the version that the change tag names.
        case delete
        /// Deletes whatever is there; nothing there is a success too.
        case forceDelete

        package var deletes: Bool { self == .delete || self == .forceDelete }
        /// Whether the record must be the version that the change tag names.
        package var needsChangeTag: Bool { self == .update || self == .replace || self == .delete }
        /// Whether the record is made where there is none, which takes its type.
        package var mayCreate: Bool { self == .create || self == .forceUpdate || self == .forceReplace }
    }

    package var kind: Kind
    package var record: Record

    package init(_ kind: Kind, _ record: Record) {
        self.kind = kind
        self.record = record
    }
}

extension RecordOperation: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("operationType", kind.rawValue)
        writer.key("record")
        if kind.deletes {
            writer.beginObject()
            writer.member("recordName", record.recordName)
            writer.member("recordType", record.recordType)
            writer.member("recordChangeTag", record.changeTag)
            writer.endObject()
        } else {
            try record.write(to: &writer)
        }
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        guard let kind = Kind(rawValue: try object.requiredString("operationType")) else {
            throw WireError(.unexpected, "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")) was expected", path: "operationType")
        }
        var record = try within("record") { () throws(WireError) in try Record(json: .object(try object.requiredObject("record"))) }
        guard !record.recordName.isEmpty || kind.mayCreate else {
            throw WireError(.missing, "missing required key 'recordName'", path: "record")
        }
        // Clients echo whole records in deletions; only the identity counts there.
        if kind.deletes { record.fields = [:] }
        self.init(kind, record)
    }
}
