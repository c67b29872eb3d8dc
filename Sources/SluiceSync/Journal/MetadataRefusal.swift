// A service whose schema is fixed, as CloudKit's is in production, may have no field for merge metadata, and refuses every record that has one.
//
// - The records are sent again without it: nothing is set aside, and nothing is lost.
// - Without metadata nobody knows when a value was edited, and what an operation added: fields with `latestEdit` and `counter` are decided by `serverWins`,
//   and the status says so. What needs no metadata (`clientWins`, `union`, functions) stays as it is.
// - Somebody may add the field: it is tried again once a day, at each start and with `sluice sync`. All this is kept in the store.

import Foundation
import SluiceRecords
import SluiceSQLite
import SluiceStore

extension SyncJournal {
    /// Milliseconds after a refusal before metadata is tried again.
    static let metadataRetryInterval: Int64 = 86_400_000

    /// Whether the service refused merge metadata when it was last sent some.
    package var metadataIsRefused: Bool { get throws { try store.syncValue(.metadataRefused)?.integer != nil } }

    /// Whether what is frozen at `now` carries metadata.
    func sendsMetadata(at now: Int64) throws -> Bool {
        guard let refused = try store.syncValue(.metadataRefused)?.integer else { return true }
        return now < refused || now >= refused + Self.metadataRetryInterval
    }

    /// Whether an answer may say something of whether the service takes metadata.
    func isMetadataAtIssue(_ response: RecordsResponse) -> Bool { isWithoutMetadata || response.records.contains { $0.error?.isOfMetadata == true } }

    /// Whether the bytes that were sent have metadata in them.
    func carriesMetadata(_ operation: Int64) throws -> Bool {
        try store.frozenOperation(operation)?.body.range(of: Data(RecordMapping.metadataField.utf8)) != nil
    }

    /// The service has refused it, or takes it.
    /// - Parameter time: of the refusal, in milliseconds since 1970; nil where it takes it.
    func noteMetadata(refusedAt time: Int64?) throws {
        try store.setSyncValue(time.map { .integer($0) } ?? .null, for: .metadataRefused)
        isWithoutMetadata = time != nil
    }

    /// What is frozen next carries metadata, whenever it was refused.
    func tryMetadataAgain() throws {
        if try metadataIsRefused { try store.setSyncValue(.integer(0), for: .metadataRefused) }
    }
}

extension ServerError {
    /// Whether a record was refused because nobody knows the field of its metadata. The words are Apple's.
    var isOfMetadata: Bool { code == .badRequest && reason.contains(RecordMapping.metadataField) }
}

extension MergeRules {
    /// The same for a service that keeps no metadata.
    var withoutMetadata: MergeRules {
        func bare(_ policy: ConflictPolicy) -> ConflictPolicy { policy == .latestEdit || policy == .counter ? .serverWins : policy }
        return MergeRules(whole: bare(whole), columns: columns.mapValues(bare), functions: functions, deletions: deletions)
    }
}
