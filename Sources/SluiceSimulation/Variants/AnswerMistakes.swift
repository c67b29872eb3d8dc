// Mistakes about answers and retries.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceStore
import SluiceSync

final class AcknowledgesRecords: Seams {
    override func willFinish(_ effect: SyncEffect, _ answer: ExchangeAnswer, _ device: SimulatedDevice) throws {
        guard case .send(let number) = effect, let store = device.store, let response = answer.records else { return }
        let saved = Set(response.records.filter { $0.error == nil }.map { RecordName($0.recordName) })
        names = try store.members(of: number).map(\.name).filter(saved.contains)
    }

    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        guard case .send = effect, case .answered? = report.event, let store = device.store else { return }
        for name in names where try !store.awaitsLookup(name) { try store.forgetPending(name) }
        names = []
    }

    private var names: [RecordName] = []
}

/// No service of ours wrote it, so nobody can be asked whether it is of this timeline: these mistakes have to show by themselves.
private let madeUpTag = "none"

final class ReadsOnlyTheStatus: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .send = effect, let response = answer.records else { return answer }
        return try answer.with(response.records.map { $0.error == nil ? $0 : .thin(recordName: $0.recordName, changeTag: madeUpTag, modified: 0) })
    }
}

final class TakesTruncationForSuccess: Seams {
    override func answer(_ answer: ExchangeAnswer, to effect: SyncEffect, _ device: SimulatedDevice) throws -> ExchangeAnswer {
        guard case .send(let number) = effect, answer.records == nil, answer.status == 200 || answer.status == 503, let store = device.store else {
            return answer
        }
        return try answer.with(
            try store.members(of: number).map { .thin(recordName: $0.name.text, changeTag: madeUpTag, modified: 0) })
    }
}

final class DropsRefusals: Seams {
    private let forGood: Bool

    init(forGood: Bool) { self.forGood = forGood }

    override func willFinish(_ effect: SyncEffect, _ answer: ExchangeAnswer, _ device: SimulatedDevice) throws {
        guard case .send = effect, let response = answer.records else { return }
        refused = response.records.filter { result in
            guard let code = result.error?.code else { return false }
            return forGood ? code == .badRequest : code.isPassing || code == .quotaExceeded
        }.map { RecordName($0.recordName) }
    }

    override func didFinish(_ effect: SyncEffect, _ report: SyncReport, _ device: SimulatedDevice) throws {
        guard case .send = effect else { return }
        for name in refused { try device.store?.forgetPending(name) }
        refused = []
    }

    private var refused: [RecordName] = []
}

final class RebuildsBody: Seams {
    override func request(_ request: ExchangeRequest, for effect: SyncEffect, attempt: Int, _ device: SimulatedDevice) throws -> ExchangeRequest {
        guard attempt > 1 else { return request }
        return ExchangeRequest(request.endpoint, body: request.body + Data(" ".utf8), operation: request.operation)
    }
}

final class ResendsUnderNewID: Seams {
    override func request(_ request: ExchangeRequest, for effect: SyncEffect, attempt: Int, _ device: SimulatedDevice) throws -> ExchangeRequest {
        guard attempt > 1 else { return request }
        return ExchangeRequest(request.endpoint, body: request.body, operation: device.random.uuid().uuidString)
    }
}

final class RetriesAtOnce: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        switch event {
        case .identificationFailed, .zoneFailed, .pullFailed, .reconcileFailed, .operationFailed: [event, .retryNow]
        default: [event]
        }
    }
}

final class NeverWakes: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] { if case .woke = event { [] } else { [event] } }
}

final class KeepsExpiredToken: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        if case .pullFailed(.tokenExpired) = event { [.pullFailed(.serviceFault("the token expired", retryAfter: nil))] } else { [event] }
    }
}

final class ReusesTags: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        switch event {
        case .identified(_, let limits, let remembers): [.identified(epochChanged: false, limits: limits, remembersOperations: remembers)]
        case .pullFailed(.tokenExpired): [.pullFailed(.tokenExpired(sameTimeline: true))]
        default: [event]
        }
    }
}

final class CrossesAccounts: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        if case .accountChanged = event { [.identified(epochChanged: false, limits: nil)] } else { [event] }
    }
}

final class RecreatesZone: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        switch event {
        case .pullFailed(.zoneDeleted(.deleted, isBack: false)): [.pullFailed(.tokenExpired(sameTimeline: false))]
        default: [event]
        }
    }
}

final class DropsUnsentWithZone: Seams {
    override func events(_ event: SyncEvent, _ device: SimulatedDevice) throws -> [SyncEvent] {
        if case .leftZone = event { [event, .forgetZone] } else { [event] }
    }
}
