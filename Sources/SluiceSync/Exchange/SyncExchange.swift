// What an effect of the core comes to: a step in the store, or a request and a step with its answer. Everything here is synchronous and has
// no clock: the coordinator and the simulator bring times and carry requests, each its own way, and do the rest alike.

package import Foundation
package import SluiceRecords
import SluiceSQLite
import SluiceSchema
import SluiceStore

/// Carries out the effects of one account's core, apart from waiting and talking. Used on the store's executor.
package final class SyncExchange {
    package let journal: SyncJournal
    /// The service's clock less this device's, in milliseconds; nil before the service has told its time.
    package private(set) var clockOffset: Int64?
    private var echoes = ExpectedEchoes()
    /// What the page on its way was asked with: seen tags, and whether no token.
    private var asked: (seen: [String], isForAll: Bool) = ([], false)
    /// What the account was identified by; nothing else is asked with anything else.
    private var credentials: CredentialMark?

    /// No edit is stamped later than this much after the service's clock, in milliseconds (design: clock bounds).
    package static let clockTolerance: Int64 = 300_000
    /// Milliseconds before a record that was refused for the moment, without a time of its own, is sent again.
    package static let passingRefusalDelay: Int64 = 2_000

    package init(_ journal: SyncJournal) { self.journal = journal }

    /// The first half of an effect.
    package enum Beginning {
        case done(SyncReport)
        /// To be sent; the answer goes to `finish`, a failure to `event(for:of:)`.
        case request(ExchangeRequest)
        /// The core wants to hear `woke` at that time, in milliseconds since 1970.
        case wait(until: Int64)
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970 by this device's clock.
    ///   - identifier: makes the ids of new operations.
    /// - Throws: `RequestFailure` where a request must not be made; anything else is a failure of the store.
    package func begin(_ effect: SyncEffect, at now: Int64, identifier: () -> UUID = { UUID() }) throws -> Beginning {
        let beginning = try beginning(of: effect, at: now, identifier: identifier)
        guard case .request(var request) = beginning else { return beginning }
        if effect != .identify { request.credentials = credentials }
        return .request(request)
    }

    private func beginning(of effect: SyncEffect, at now: Int64, identifier: () -> UUID) throws -> Beginning {
        let store = journal.store
        switch effect {
        case .identify: return .request(ExchangeRequest(.usersCaller, scope: .public, body: Data("{}".utf8)))
        case .createZone:
            return .request(ExchangeRequest(.zonesModify, body: try ZonesModifyRequest(operations: [ZoneOperation(.create, journal.zone)]).encoded()))
        case .pullPage:
            let token = try journal.token
            let hasTimeline = try store.syncValue(.epoch)?.text != nil
            let seen = hasTimeline ? try journal.seenTags : []
            asked = (seen, isForAll: token == nil)
            // Nobody knows what CloudKit makes of an empty list.
            let isBare = echoes.askForBarePage(token != nil && hasTimeline)
            let query = ZoneChangesRequest.Query(journal.zone, syncToken: token, desiredKeys: isBare ? [] : nil, seenTags: seen)
            return .request(ExchangeRequest(.zoneChanges, body: try ZoneChangesRequest(zones: [query]).encoded()))
        case .finishFeed:
            let page = try journal.finishFeed(latestStamp: latestStamp(at: now))
            return .done(SyncReport(try journal.beginRefetch() ? .beganFullFetch : .finishedFeed, page: page))
        case .beginFullFetch(let reason):
            try journal.beginFullFetch(reason)
            return .done(SyncReport(.beganFullFetch))
        case .leaveZone(let reason):
            let page = try journal.leaveZone(reason, latestStamp: latestStamp(at: now))
            return .done(SyncReport(.leftZone(reason), page: page))
        case .forgetZone:
            return .done(SyncReport(.forgotZone, page: try journal.forgetZone(latestStamp: latestStamp(at: now))))
        case .reconcile(let count):
            let names = try store.recordsToReconcile(limit: count)
            guard !names.isEmpty else { return .done(SyncReport(.reconciled(remaining: false, needsPull: false))) }
            let spellings = try names.map { try store.recordState(of: $0)?.wireName ?? $0.text }
            return .request(ExchangeRequest(.recordsLookup, body: try lookup(spellings).encoded()))
        case .freeze(let count, let limits):
            let bound = clockOffset == nil ? nil : latestStamp(at: now)
            let frozen = try journal.freeze(count, limits: limits, at: now, latestStamp: bound, identifier: identifier)
            return .done(SyncReport(.froze(frozen)))
        case .send(let number):
            guard let operation = try store.frozenOperation(number) else { return .done(SyncReport(.answered(number, OutcomeSummary()))) }
            guard !journal.mayBeForgotten(operation, at: now) else { throw RequestFailure.operationUnknown }
            return .request(ExchangeRequest(.recordsModify, body: operation.body, operation: operation.id))
        case .thaw(let number, let reconciling):
            try store.thaw(number, reconciling: reconciling)
            return .done(SyncReport(.gaveUp(number, reconciling: reconciling)))
        case .setAside(let number, let reason):
            if try reason.contains(RecordMapping.metadataField) && journal.carriesMetadata(number) {
                try journal.noteMetadata(refusedAt: now)
                try store.thaw(number, reconciling: false)
                return .done(SyncReport(.gaveUp(number, reconciling: false)))
            }
            try store.settle(number, store.members(of: number).map { ($0, .setAside(reason: reason)) })
            return .done(SyncReport(.gaveUp(number, reconciling: false)))
        case .wake(let time): return .wait(until: time)
        }
    }

    /// The second half of an effect that began with a request.
    /// - Parameter now: milliseconds since 1970 by this device's clock.
    /// - Throws: `RequestFailure` where the answer is a refusal or cannot be read; anything else is a failure of the store.
    package func finish(_ effect: SyncEffect, with answer: ExchangeAnswer, at now: Int64) throws -> SyncReport {
        switch effect {
        case .identify:
            let caller: CallerResponse = try read(answer, at: now)
            credentials = answer.credentials
            return SyncReport(try identify(caller))
        case .createZone:
            let zones: ZonesResponse = try read(answer, at: now)
            if case .failure(_, let error)? = zones.zones.first, error.code != .exists { throw RequestFailure(error) }
            try journal.store.setSyncValue(.null, for: .deletedZone)
            return SyncReport(.zoneReady)
        case .pullPage: return try takePage(try read(answer, at: now), at: now)
        case .reconcile:
            let found: RecordsResponse = try read(answer, at: now)
            // Older versions that a service was put back to are no edits by anybody: first it gets back what it lost.
            if let epoch = found.epoch, let known = try journal.store.syncValue(.epoch)?.text, known != epoch.text {
                throw RequestFailure.tokenExpired(sameTimeline: false)
            }
            let page = try journal.reconcile(found, latestStamp: latestStamp(at: now))
            if page.refusedCount > 0 { return SyncReport(.reconcileFailed(.throttled(retryAfter: nil)), page: page) }
            let remaining = try !journal.store.recordsToReconcile(limit: 1).isEmpty
            return SyncReport(.reconciled(remaining: remaining, needsPull: page.needsPull), page: page)
        case .send(let number):
            let retry = RetryTimes(now: now, standard: now + Self.passingRefusalDelay)
            let summary = try journal.record(try read(answer, at: now), of: number, retry: retry)
            echoes.expect(summary.settledCount)
            return SyncReport(.answered(number, summary))
        case .finishFeed, .beginFullFetch, .leaveZone, .forgetZone, .freeze, .thaw, .setAside, .wake: return SyncReport(nil)
        }
    }

    /// The latest stamp that an edit may have, by the service's clock where it is known.
    package func latestStamp(at now: Int64) -> Int64 { now + (clockOffset ?? 0) + Self.clockTolerance }

    private func read<Value: WireDecodable>(_ answer: ExchangeAnswer, at now: Int64) throws(RequestFailure) -> Value {
        let value: Value = try answer.value()
        if let serviceTime = answer.serviceTime { clockOffset = serviceTime - now }
        return value
    }

    /// A service that was put back would show older versions, which are nobody's edits: it is told what this device has seen.
    private func lookup(_ names: [String]) throws -> LookupRequest {
        guard try journal.store.syncValue(.epoch)?.text != nil else { return LookupRequest(recordNames: names, zoneID: journal.zone) }
        return LookupRequest(recordNames: names, zoneID: journal.zone, syncToken: try journal.token, seenTags: try journal.seenTags)
    }

    private func identify(_ caller: CallerResponse) throws -> SyncEvent {
        let store = journal.store
        if let expected = try store.syncValue(.user)?.text {
            guard expected == caller.userRecordName else { return .accountChanged(expected: expected, found: caller.userRecordName) }
        } else {
            try store.setSyncValue(.text(caller.userRecordName), for: .user)
        }
        let epoch = try store.syncValue(.epoch)?.text
        let isChanged = epoch != nil && caller.epoch != nil && epoch != caller.epoch?.text
        if isChanged, let current = caller.epoch { try store.setSyncValue(.text(current.text), for: .epoch) }
        try journal.tryMetadataAgain()
        // Whoever has an epoch has our ledger too; nobody else has either.
        return .identified(epochChanged: isChanged, limits: caller.limits, remembersOperations: caller.epoch != nil)
    }

    private func takePage(_ response: ZoneChangesResponse, at now: Int64) throws -> SyncReport {
        switch response.zones.first {
        case .changes(let changes)?:
            // Of a bare page only versions that are here already can be taken; one more, and all of it is asked for again in full.
            let isBare = echoes.isBare
            guard try echoes.take(changes, isKnown: journal.isKnown) else {
                return SyncReport(.appliedPage(moreComing: true, recordCount: changes.records.count))
            }
            let isNew = try journal.token != changes.syncToken
            // The token of a page in the middle stands for no more than its rows, but in a fetch from nothing, where it names the head.
            let confirmed = asked.isForAll || !changes.moreComing ? asked.seen : []
            let page = try journal.apply(
                changes, epoch: response.epoch, latestStamp: latestStamp(at: now), holdsKnown: isBare, confirmed: confirmed)
            let isMoving = isNew || page.appliedCount + page.deletedCount > 0
            return SyncReport(
                .appliedPage(moreComing: changes.moreComing, recordCount: changes.records.count, isMoving: isMoving), page: page)
        case .failure(_, let error)?:
            let epoch = try journal.store.syncValue(.epoch)?.text.flatMap(Epoch.init(text:))
            let failure = RequestFailure(error, ofFeedWith: try journal.token, knowsZone: try journal.knowsZone, epoch: epoch)
            throw try error.code == .badRequest ? presumed(failure, at: now) : failure
        case nil: throw RequestFailure.serviceFault("its answer names no zone", retryAfter: nil)
        }
    }

    /// Milliseconds between two full fetches that rest on a guess.
    private static let presumptionInterval: Int64 = 3_600_000

    /// A token that is refused as a bad request has expired, most likely: CloudKit has no code of its own for that. Where it was something
    /// else, fetching everything again would not mend it, and must not go on all day.
    private func presumed(_ failure: RequestFailure, at now: Int64) throws -> RequestFailure {
        guard case .tokenExpired = failure else { return failure }
        if let last = try journal.store.syncValue(.presumedExpiry)?.integer, now >= last, now < last + Self.presumptionInterval {
            let seconds = Double(last + Self.presumptionInterval - now) / 1_000
            return .serviceFault("it refuses its own sync token, within an hour of the last full fetch for that reason", retryAfter: seconds)
        }
        try journal.store.setSyncValue(.integer(now), for: .presumedExpiry)
        return failure
    }

    // MARK: Failures

    /// What a failed request means depends on what was asked.
    package func event(for failure: RequestFailure, of effect: SyncEffect) -> SyncEvent {
        switch effect {
        case .identify: .identificationFailed(failure)
        case .createZone: .zoneFailed(failure)
        case .reconcile: .reconcileFailed(failure)
        case .send(let number): .operationFailed(number, memberCount: memberCount(of: number), failure)
        default: .pullFailed(failure)
        }
    }

    private func memberCount(of operation: Int64) -> Int {
        do { return try journal.store.frozenOperation(operation)?.memberCount ?? 0 } catch { return 0 }
    }

    /// What a failure of the store means to the core.
    package static func event(forStoreFailure error: any Error) -> SyncEvent {
        let isPassing =
            switch error {
            case let error as SQLiteError:
                switch error.code {
                case .full, .busy, .locked, .ioError: true
                default: false
                }
            case let error as ExternalWriteFailure: error.isPassing
            default: false
            }
        return .storeFailed("\(error)", isPassing: isPassing)
    }
}

/// What a step did.
package struct SyncReport: Sendable {
    /// To be handed to the core; nil where it need not hear of it.
    package var event: SyncEvent?
    /// What came from the service, where anything did.
    package var page: PageSummary?

    package init(_ event: SyncEvent?, page: PageSummary? = nil) {
        self.event = event
        self.page = page
    }
}
