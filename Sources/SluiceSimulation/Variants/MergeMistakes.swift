// Mistakes about whose version counts.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

final class ServerAlwaysWins: Seams {
    override func willFinish(_ effect: SyncEffect, _ answer: ExchangeAnswer, _ device: SimulatedDevice) throws {
        guard case .pullPage = effect, let page = answer.page, let store = device.store else { return }
        for result in page.records {
            let name = RecordName(result.recordName)
            try store.leaveOperation(name)
            try store.forgetPending(name)
        }
    }
}

final class SkipsConflicts: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .pullPage = effect, let store = device.store else { return answer }
        return try answer.with { page in
            page.records.removeAll { ((try? store.pendingChange(of: RecordName($0.recordName))) ?? nil) != nil }
        }
    }
}

final class TakesTagOnly: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .reconcile = effect, let store = device.store, let response = answer.records else { return answer }
        for case .record(let record) in response.records {
            let name = RecordName(record.recordName)
            var state = try store.recordState(of: name) ?? RecordState()
            state.tag = record.changeTag
            try store.setRecordState(state, of: name, table: try store.row(named: name)?.table)
            try store.markReconciled(name)
        }
        return try answer.with(response.records.filter { $0.record == nil })
    }
}

final class ForcesWrites: Seams {
    override func request(_ request: ExchangeRequest, for effect: SyncEffect, attempt: Int, _ device: SimulatedDevice) throws -> ExchangeRequest {
        guard case .send = effect else { return request }
        var modify = try ModifyRequest(decoding: request.body)
        modify.elements = modify.elements.map { element in
            guard case .operation(var operation) = element else { return element }
            switch operation.kind {
            case .update: operation.kind = .forceUpdate
            case .replace, .create: operation.kind = .forceReplace
            case .delete: operation.kind = .forceDelete
            case .forceUpdate, .forceReplace, .forceDelete: break
            }
            return .operation(operation)
        }
        return ExchangeRequest(request.endpoint, body: try modify.encoded(), operation: request.operation)
    }
}

final class TrustsClock: Seams {
    /// A service whose time is a century from now bounds nothing, nor does a record that it took then.
    private static let century: Int64 = 100 * 365 * 86_400_000

    override func serviceTime(_ time: Int64?, _ device: SimulatedDevice) -> Int64? { time.map { $0 + Self.century } }

    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .pullPage = effect else { return answer }
        return try answer.with { page in
            page.records = page.records.map { result in
                guard case .record(var record) = result else { return result }
                record.modified?.timestamp += Self.century
                return .record(record)
            }
        }
    }
}

final class IgnoresTombstones: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .pullPage = effect else { return answer }
        return try answer.with { page in page.records.removeAll { $0.record?.isDeleted == true } }
    }
}

final class EchoByDevice: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .pullPage = effect else { return answer }
        return try answer.with { page in page.records.removeAll { $0.record?.modified?.deviceID == "device \(device.holder)" } }
    }
}

final class DeletesOnUniqueConflict: Seams {
    override func willBegin(_ effect: SyncEffect, _ device: SimulatedDevice) throws {
        guard case .finishFeed = effect, let store = device.store else { return }
        for entry in try store.inbox(limit: 1_000) where try Record(decoding: entry.body).recordType == "Tag" { try store.removeFromInbox(entry.name) }
    }
}

final class FullFetchKeepsAll: Seams {
    override func willBegin(_ effect: SyncEffect, _ device: SimulatedDevice) throws {
        guard case .finishFeed = effect, let store = device.store, try device.journal?.isFullFetch == true else { return }
        try store.setSyncValue(.integer(SyncJournal.FullFetchReason.serviceLostMemory.rawValue), for: .fullFetch)
    }
}

final class FullFetchDeletesUnsent: Seams {
    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        guard case .beginFullFetch = effect, let store = device.store else { return }
        for name in try device.rows().keys.sorted().map({ RecordName($0) }) {
            guard let pending = try store.pendingChange(of: name), pending.isInserted, let row = try store.row(named: name) else { continue }
            try store.write(.pull) { _ = try store.deleteRows([row]) }
            try store.forgetPending(name)
        }
    }
}

/// What this device has added is told to nobody.
final class HidesAdditions: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        switch effect {
        case .pullPage:
            return try answer.with { page in page.records = try page.records.map { try Self.forgetting(device, in: $0) } }
        case .reconcile:
            guard let response = answer.records else { return answer }
            return try answer.with(response.records.map { try Self.forgetting(device, in: $0) })
        default: return answer
        }
    }

    /// The record as if none of this device's operations were in it.
    private static func forgetting(_ device: SimulatedDevice, in result: RecordResult) throws -> RecordResult {
        guard case .record(var record) = result, let journal = device.journal,
            case .bytes(let bytes)? = record.fields[RecordMapping.metadataField]?.value, var metadata = MergeMetadata(encoded: bytes)
        else { return result }
        metadata.forgetWrites(of: journal.device, since: nil)
        record.fields[RecordMapping.metadataField] = Field(.bytes(metadata.encoded))
        return .record(record)
    }
}

/// The later number stands, as if counting were editing.
final class OverwritesCounters: Seams {
    override func willFinish(_ effect: SyncEffect, _ answer: ExchangeAnswer, _ device: SimulatedDevice) throws {
        guard case .pullPage = effect, let store = device.store else { return }
        try store.connection.run("UPDATE _sluice_field SET first = 0")
    }
}
