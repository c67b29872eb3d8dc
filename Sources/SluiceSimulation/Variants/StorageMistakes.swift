// Mistakes about what is on disk when.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

/// Two transactions where there has to be one: the crash between them is the one that happens.
final class TokenAheadOfRows: Seams {
    override func died(_ device: SimulatedDevice, unrecorded: [(effect: SyncEffect, answer: ExchangeAnswer)]) throws {
        for (effect, answer) in unrecorded {
            guard case .pullPage = effect, answer.status == 200, let page = answer.page else { continue }
            try device.store?.setSyncValue(.text(page.syncToken), for: .token)
        }
    }
}

final class NeverSyncs: Seams {
    override func willStart(_ device: SimulatedDevice) throws { try device.store?.connection.execute("PRAGMA synchronous = OFF") }
}

final class ForgetsInbox: Seams {
    override func willStart(_ device: SimulatedDevice) throws { try device.store?.emptyInbox() }
}

final class ForgetsOperations: Seams {
    override func willStart(_ device: SimulatedDevice) throws {
        guard let store = device.store else { return }
        for number in try store.frozenOperationNumbers() {
            let names = try store.members(of: number).map(\.name)
            try store.thaw(number, reconciling: false)
            for name in names { try store.forgetPending(name) }
        }
    }
}

final class AcknowledgesAtOnce: Seams {
    override func request(_ request: ExchangeRequest, for effect: SyncEffect, attempt: Int, _ device: SimulatedDevice) throws -> ExchangeRequest {
        if case .send(let number) = effect, let store = device.store {
            for member in try store.members(of: number) { try store.forgetPending(member.name) }
        }
        return request
    }
}

final class ForgetsSeenTags: Seams {
    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        if case .send = effect { try device.store?.setSyncValue(.null, for: .seenTags) }
    }
}

final class KeepsStoreFailuresQuiet: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        if case .storeFailed = event { [] } else { [event] }
    }
}

final class DropsUnknownFields: Seams {
    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        if case .pullPage = effect { try device.store?.connection.run("UPDATE _sluice_record SET extra = NULL") }
    }
}

final class SendsPulledRows: Seams {
    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        guard case .pullPage = effect, let page = report.page, page.appliedCount + page.knownCount > 0, let store = device.store else { return }
        for table in store.tablesToSend { try store.resendAll(in: table) }
    }
}

final class IgnoresLedgerAge: Seams {
    override func willBegin(_ effect: SyncEffect, _ device: SimulatedDevice) throws {
        guard case .send(let number) = effect, let store = device.store else { return }
        try store.connection.run("UPDATE _sluice_operation SET at = ? WHERE number = ?", [.integer(device.clock.now), .integer(number)])
    }
}

extension ExchangeAnswer {
    /// The page that it carries; nil where it carries none.
    var page: ZoneChanges? {
        guard let response = try? ZoneChangesResponse(decoding: body), case .changes(let page)? = response.zones.first else { return nil }
        return page
    }

    /// The same answer with another page.
    func with(_ change: (inout ZoneChanges) throws -> Void) throws -> ExchangeAnswer {
        guard status == 200, var response = try? ZoneChangesResponse(decoding: body), case .changes(var page)? = response.zones.first else { return self }
        try change(&page)
        response.zones[0] = .changes(page)
        var answer = self
        answer.body = try response.encoded()
        return answer
    }

    /// The records that it carries; nil where it carries none.
    var records: RecordsResponse? { status == 200 ? try? RecordsResponse(decoding: body) : nil }

    func with(_ records: [RecordResult]) throws -> ExchangeAnswer {
        ExchangeAnswer(status: 200, body: try RecordsResponse(records: records).encoded(), serviceTime: serviceTime)
    }
}
