import Foundation
import SluiceRecords

/// One zone of a record service, in memory, as strict as the dialect: tags, tombstones, a feed by sequence, a ledger.
final class ZoneDouble {
    struct Entry {
        var record: Record
        var sequence: Int64
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var sequence: Int64 = 0
    private var ledger: [String: (body: Data, response: RecordsResponse)] = [:]
    /// How often each operation id was received.
    private(set) var received: [String: Int] = [:]
    private(set) var appliedCount = 0
    var epoch = Epoch(rawValue: 1)
    var nonce: UInt64 = 1
    var clock: Int64 = 1_700_000_000_000
    /// Refusals to give instead of carrying an operation out, by record name.
    var refusals: [String: ServerError] = [:]
    /// Fields that its fixed schema does not have.
    var unknownFields: Set<String> = []
    var pageSize = 200
    /// What the service says it takes; nil: it says nothing.
    var limits: ServiceLimits?
    /// Operations it takes in one request, whatever it says.
    var operationsMaximum = 200
    /// Tombstones up to here are forgotten.
    private var purged: Int64 = 0

    var live: [Record] { entries.values.map(\.record).filter { !$0.isDeleted } }

    func snapshot() -> (entries: [String: Entry], sequence: Int64) { (entries, sequence) }

    func restore(_ snapshot: (entries: [String: Entry], sequence: Int64)) {
        (entries, sequence) = snapshot
        ledger = [:]
        epoch = Epoch(rawValue: epoch.rawValue + 1)
        nonce += 1
        purged = min(purged, sequence)
    }

    /// Forgets tombstones, and with them the tokens of who has not seen them.
    func forgetTombstones() {
        purged = sequence
        entries = entries.filter { !$0.value.record.isDeleted }
    }

    /// The ledger's time is over.
    func forgetOperations() { ledger = [:] }

    func modify(_ body: Data, id: String) throws -> RecordsResponse {
        received[id, default: 0] += 1
        if let kept = ledger[id] {
            guard kept.body == body else { throw ServerError(.badRequest, "operation id used for another body") }
            return kept.response
        }
        let request = try ModifyRequest(decoding: body)
        guard request.operations.count <= operationsMaximum else { throw ServerError(.limitExceeded, "too many operations") }
        let response = RecordsResponse(records: request.operations.map(carryOut))
        ledger[id] = (body, response)
        return response
    }

    private func carryOut(_ operation: RecordOperation) -> RecordResult {
        let name = operation.record.recordName
        if let refusal = refusals[name] { return .failure(recordName: name, refusal) }
        if let field = operation.record.fields.keys.first(where: unknownFields.contains) {
            return .failure(recordName: name, ServerError(.badRequest, "Cannot create or modify field '\(field)' in record 'T' in production schema"))
        }
        let existing = entries[name].flatMap { $0.record.isDeleted ? nil : $0.record }
        if operation.kind == .create, existing != nil { return .failure(recordName: name, ServerError(.exists, "record to insert already exists")) }
        if operation.kind.needsChangeTag {
            guard let existing else { return .failure(recordName: name, ServerError(.notFound, "Record not found")) }
            guard existing.changeTag == operation.record.changeTag else {
                return .failure(recordName: name, ServerError(.conflict, "client oplock error updating record"))
            }
        }
        // A tombstone is left for a name that nobody knows, so that the others hear of it; one that is there already is enough.
        if operation.kind == .forceDelete, entries[name]?.record.isDeleted == true { return .record(Record(name, isDeleted: true)) }
        return store(operation, existing: existing)
    }

    private func store(_ operation: RecordOperation, existing: Record?) -> RecordResult {
        sequence += 1
        appliedCount += 1
        var record = operation.record
        record.changeTag = ChangeTag(sequence: sequence, nonce: nonce).text
        record.modified = RecordStamp(timestamp: clock)
        if operation.kind.deletes {
            record = Record(record.recordName, isDeleted: true)
        } else if operation.kind == .update || operation.kind == .forceUpdate, let existing {
            record.fields = existing.fields.merging(record.fields) { $1 }
            record.recordType = existing.recordType
        }
        record.fields = record.fields.filter { $0.value.value != nil }
        entries[record.recordName] = Entry(record: record, sequence: sequence)
        return operation.kind.deletes
            ? .record(record) : .thin(recordName: record.recordName, changeTag: record.changeTag ?? "", modified: clock)
    }

    func changes(after text: String?, pageSize: Int? = nil) throws -> ZoneChanges {
        var began: SyncToken?
        if let text {
            let token = try SyncToken(text: text, scope: .zone)
            guard token.epoch == epoch, token.nonce == nonce else { throw ServerError(.changeTokenExpired, "other timeline") }
            guard token.sequence == 0 || token.sequence >= purged else { throw ServerError(.changeTokenExpired, "too old", epoch: epoch) }
            began = token
        }
        let from = began?.start ?? 0
        let later = entries.values.filter { $0.sequence > from }.sorted { $0.sequence < $1.sequence }
        let page = later.prefix(pageSize ?? self.pageSize)
        var token = SyncToken(.zone, epoch: epoch, sequence: sequence, nonce: nonce)
        if let last = page.last?.sequence, later.count > page.count {
            let head = began.map { $0.position == nil ? 0 : $0.sequence } ?? sequence
            token = SyncToken(.zone, epoch: epoch, sequence: max(last, head), nonce: nonce, position: last < head ? last : nil)
        }
        return ZoneChanges(
            ZoneID("z"), syncToken: token.text, moreComing: later.count > page.count, records: page.map { .record($0.record) })
    }

    func lookup(_ names: [String]) -> RecordsResponse {
        RecordsResponse(
            records: names.map { name in
                guard let record = entries[name]?.record, !record.isDeleted else {
                    return .failure(recordName: name, ServerError(.notFound, "Record not found"))
                }
                return .record(record)
            })
    }

    /// A write by a client that knows nothing of merge metadata.
    func foreignWrite(_ name: String, _ fields: [String: Field]) {
        guard var record = entries[name]?.record else { return }
        sequence += 1
        record.fields.merge(fields) { $1 }
        record.changeTag = ChangeTag(sequence: sequence, nonce: nonce).text
        record.modified = RecordStamp(timestamp: clock)
        entries[name] = Entry(record: record, sequence: sequence)
    }

    func digest() throws -> String {
        var digest = RecordDigestBox()
        for record in live { try digest.add(record) }
        return digest.text
    }
}
