/// One record of an answer: the record in one of its forms, or why not. Decoding gives `record` or `failure`.
package enum RecordResult: Hashable, Sendable {
    /// In full; a tombstone too.
    case record(Record)
    /// In full, its fields spliced from storage.
    case stored(StoredRecord)
    /// Sluice: only what the writer does not know yet, its change tag and the time of the change.
    case thin(recordName: String, changeTag: String, modified: Int64)
    case failure(recordName: String, ServerError)

    /// The record, where there is one in decoded form.
    package var record: Record? { if case .record(let record) = self { record } else { nil } }
    package var error: ServerError? { if case .failure(_, let error) = self { error } else { nil } }

    package var recordName: String {
        switch self {
        case .record(let record): record.recordName
        case .stored(let stored): stored.head.recordName
        case .thin(let recordName, _, _), .failure(let recordName, _): recordName
        }
    }
}

extension RecordResult: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        switch self {
        case .record(let record): try record.write(to: &writer)
        case .stored(let stored): try stored.write(to: &writer)
        case .thin(let recordName, let changeTag, let modified):
            writer.beginObject()
            writer.member("recordName", recordName)
            writer.member("recordChangeTag", changeTag)
            try writer.member("modified", RecordStamp(timestamp: modified))
            writer.endObject()
        case .failure(let recordName, let error):
            writer.beginObject()
            writer.member("recordName", recordName)
            try error.writeMembers(to: &writer)
            writer.endObject()
        }
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        if let error = try ServerError(object) {
            self = .failure(recordName: try object.string("recordName") ?? "", error)
        } else {
            self = .record(try Record(json: json))
        }
    }
}

/// The answer of `records/modify` and `records/lookup`: one element per operation or name, in their order.
package struct RecordsResponse: Hashable, Sendable, WireEncodable, WireDecodable {
    package var records: [RecordResult]
    /// Where the zone's feed stood before the records were read, for who asks with `getCurrentSyncToken`.
    package var syncToken: String?
    /// Sluice: the service's timeline, with lookups.
    package var epoch: Epoch?

    package init(records: [RecordResult], syncToken: String? = nil, epoch: Epoch? = nil) {
        self.records = records
        self.syncToken = syncToken
        self.epoch = epoch
    }

    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        try writer.member("records", records)
        writer.member("syncToken", syncToken)
        writer.member("epoch", epoch?.text)
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        records = try object.requiredList("records") { json throws(WireError) in try RecordResult(json: json) }
        syncToken = try object.string("syncToken")
        epoch = try object.string("epoch").flatMap(Epoch.init(text:))
    }
}
