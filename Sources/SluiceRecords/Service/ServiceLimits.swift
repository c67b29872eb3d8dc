/// What one request may carry. The service advertises it to Sluice clients in `users/caller` and beside `LIMIT_EXCEEDED`.
package struct ServiceLimits: Hashable, Sendable {
    /// Operations in one `records/modify`.
    package var operations: Int
    /// Bytes of one request body.
    package var bytes: Int

    package init(operations: Int, bytes: Int) {
        self.operations = operations
        self.bytes = bytes
    }

    /// What a service that advertises nothing accepts.
    package static let cloudKit = ServiceLimits(operations: 200, bytes: 1_000_000)
    /// The largest record, its assets not counted.
    package static let recordBytes = 1_000_000
    /// Records on one page of an answer.
    package static let pageRecords = 200
    /// Filters of one query.
    package static let queryFilters = 50
    /// Sort descriptors of one query.
    package static let querySorts = 10
    /// Values that the filters of one query name, the elements of lists counted.
    package static let queryValues = 1_000
    /// Bytes of a text by which it is sorted.
    package static let querySortBytes = 1_024
    /// Records of a type that a sorted query may have to look at.
    package static let querySortedRecords = 1_000_000
    /// Characters of a record name; ASCII only.
    package static let recordNameLength = 255
    /// Seconds that `waitSeconds` may ask for; a request as a whole lasts no longer than 60.
    package static let waitSeconds = 50
    /// Days that the ledger remembers an operation.
    package static let ledgerDays = 7
    /// Days that a tombstone is kept, and so the age at which a sync token expires.
    package static let tombstoneDays = 90
}

extension ServiceLimits: WireEncodable, WireDecodable {
    package func write(to writer: inout JSONWriter) throws(WireError) {
        writer.beginObject()
        writer.member("operations", Int64(operations))
        writer.member("bytes", Int64(bytes))
        writer.endObject()
    }

    package init(json: JSONValue) throws(WireError) {
        let object = try json.asObject()
        self.init(
            operations: max(1, Int(try object.requiredInteger("operations"))),
            bytes: max(1, Int(try object.requiredInteger("bytes"))))
    }
}
