import Foundation
import SluiceRecords

/// How a record stands in an answer: only the fields asked for, and only the keys that this kind of client bears.
struct RecordForms {
    let isSluice: Bool
    /// Nil: all fields.
    let desiredKeys: Set<String>?
    /// Nil: the service keeps no files.
    private let links: AssetLinks?

    init(_ request: ServiceRequest, _ service: RecordService, desiredKeys: [String]?) {
        isSluice = request.isSluice
        self.desiredKeys = desiredKeys.map(Set.init)
        links = service.files.map { files in
            AssetLinks(
                tickets: files.tickets, base: service.baseURL(of: request.http), database: request.caller.database, now: service.environment.now())
        }
    }

    func result(_ stored: StoredRecord) throws -> RecordResult {
        if stored.head.isDeleted { return .record(tombstone(stored.head)) }
        // Who knows what it wants none of asks for versions only.
        if desiredKeys?.isEmpty == true { return .stored(StoredRecord(head: stored.head, fieldsJSON: Self.noFields)) }
        let mayHoldAssets = AssetFields.mayHold(stored.fieldsJSON)
        guard desiredKeys != nil || mayHoldAssets else { return .stored(stored) }
        var record = try stored.decoded()
        if let desiredKeys { record.fields = record.fields.filter { desiredKeys.contains($0.key) } }
        if mayHoldAssets, let links { record.fields = links.shown(record.fields) }
        return .record(record)
    }

    private static let noFields = Data("{}".utf8)

    /// What became of an operation.
    func result(_ result: RecordResult) throws -> RecordResult {
        switch result {
        case .stored(let stored): return isSluice ? result.thinned : try self.result(stored)
        case .record(let record) where record.isDeleted: return .record(tombstone(record))
        case .record, .thin: return result
        case .failure(let recordName, let error): return .failure(recordName: recordName, adapted(error))
        }
    }

    /// Strict clients know a tombstone by its name, its mark and its zone, and refuse more.
    private func tombstone(_ record: Record) -> Record {
        isSluice ? record : Record(record.recordName, isDeleted: true, zoneID: record.zoneID)
    }

    /// `LIMIT_EXCEEDED` is our extension.
    private func adapted(_ error: ServerError) -> ServerError {
        guard !isSluice, error.code == .limitExceeded else { return error }
        return ServerError(.badRequest, error.reason)
    }
}
