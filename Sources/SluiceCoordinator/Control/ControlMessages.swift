// What passes over the control socket: HTTP over a Unix socket, JSON bodies (curl --unix-socket works).
//
//     GET  /v1/status?counts=1&digest=1   AccountStatus
//     GET  /v1/status?after=N             AccountStatus, as soon as its revision is another one, at the latest after 50 s
//     GET  /metrics                       what Prometheus reads
//     POST /v1/put                        PutRequest        → PutResponse
//     POST /v1/delete                     RecordRequest     → DeleteResponse
//     GET  /v1/records/NAME               RowMessage
//     POST /v1/query                      QueryRequest      → QueryResponse
//     POST /v1/sync                       SyncRequest       → AccountStatus
//     POST /v1/zone/recreate, /v1/zone/forget   SyncRequest → AccountStatus
//     POST /v1/pause, /v1/resume          (nothing)         → AccountStatus
//     GET  /v1/history?after=N&limit=N    HistoryResponse
//     GET  /v1/outbox?after=N&limit=N&setAside=1   OutboxResponse
//     GET  /v1/outbox/NAME                OutboxResponse.Entry
//     GET  /v1/conflicts?before=N&limit=N&record=NAME   ConflictsResponse
//     POST /v1/retry                      RetryRequest      → RetryResponse
//     POST /v1/drop                       RecordRequest     → DropResponse
//     GET  /v1/projection?group=NAME      ProjectionResponse
//     POST /v1/projection/rebuild         RebuildRequest    → RebuildResponse
//     GET  /v1/defaults?group=NAME        DefaultsResponse
//     POST /v1/defaults                   SetDefaultRequest → SetDefaultResponse
//     GET  /v1/keyvalues                  KeyValuesResponse
//     POST /v1/keyvalues                  SetDefaultRequest → SetDefaultResponse
//
// While the store migrates everything but the status waits; with `wait=0` in the query it is refused with `migrating` instead.
// An error is a status of 400 or more with a ControlFailure.

package import SluiceSchema

package struct PutRequest: Codable, Sendable {
    package var entity: String
    package var name: String?
    /// Values by property: of an attribute its scalar form, of a to-one a record name, of a to-many record names with commas between them.
    /// Null clears.
    package var properties: [String: ScalarForm]

    package init(entity: String, name: String? = nil, properties: [String: ScalarForm] = [:]) {
        self.entity = entity
        self.name = name
        self.properties = properties
    }
}

package struct PutResponse: Codable, Sendable {
    package var name: String
    /// `inserted`, `updated` or `unchanged`.
    package var outcome: String
}

/// Names one record.
package struct RecordRequest: Codable, Sendable {
    package var name: String

    package init(name: String) { self.name = name }
}

package struct DeleteResponse: Codable, Sendable {
    /// The record and what its delete rules took along.
    package var deleted: Int
}

/// One row.
package struct RowMessage: Codable, Sendable {
    package var entity: String
    package var name: String
    package var attributes: [String: ScalarForm]
    package var references: [String: String]

    init(_ row: StoredRow) {
        entity = row.entity
        name = row.name.text
        // What begins with an underscore is the store's own: places in ordered relationships, the other side of one-way ones.
        attributes = row.attributes.filter { !$0.key.hasPrefix("_") }.mapValues(ScalarForm.init)
        references = row.references.filter { !$0.key.hasPrefix("_") }.mapValues(\.text)
    }
}

package struct QueryRequest: Codable, Sendable {
    package var entity: String
    package var filter: String?
    package var order: String?
    package var limit: Int?
    package var countOnly: Bool

    package init(entity: String, filter: String? = nil, order: String? = nil, limit: Int? = nil, countOnly: Bool = false) {
        self.entity = entity
        self.filter = filter
        self.order = order
        self.limit = limit
        self.countOnly = countOnly
    }
}

package struct QueryResponse: Codable, Sendable {
    package var count: Int
    package var rows: [RowMessage]
    /// More rows matched than one answer holds.
    package var isTruncated: Bool
}

package struct SyncRequest: Codable, Sendable {
    /// Answer when everything is in step, or nothing moves any more.
    package var waits: Bool

    package init(waits: Bool) { self.waits = waits }
}

package struct HistoryResponse: Codable, Sendable {
    package var changes: [Change]
    /// Where the next question goes on.
    package var position: Int64

    package struct Change: Codable, Sendable {
        package var position: Int64
        package var kind: String
        package var origin: String
        package var entity: String
        package var name: String?
        package var transaction: Int64?
    }
}

/// What went wrong, for people and scripts.
package struct ControlFailure: Codable, Error, Sendable, CustomStringConvertible {
    /// `badRequest`, `notFound`, `refused`, `unavailable`, `migrating`, `storage` (the disk or the file), `internal`.
    package var code: String
    package var message: String

    package var description: String { message }

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    static func migrating(_ status: AccountStatus) -> ControlFailure {
        let place = status.migration.map { " (stage \($0.stage) of \($0.stageCount), \($0.name))" } ?? ""
        return ControlFailure(code: "migrating", message: "the store of account \(status.account) is migrating\(place): try again later, or wait for it")
    }
}
