// Carrying out the core's effects. Each one ends in one event; a store step is synchronous on the account's thread, a request suspends and other
// work goes on meanwhile.

import Foundation
import SluiceRecords
import SluiceSchema
import SluiceSQLite
import SluiceStore
import SluiceSync

extension AccountRuntime {
    func perform(_ effect: SyncEffect) async {
        do {
            if let event = try await carryOut(effect) { handle(event) }
        } catch let failure as RequestFailure {
            handle(event(for: failure, of: effect))
        } catch is CancellationError {
            return
        } catch {
            handle(storeFailure(error))
        }
    }

    /// What a failed request means depends on what was asked.
    private func event(for failure: RequestFailure, of effect: SyncEffect) -> SyncEvent {
        switch effect {
        case .identify: .identificationFailed(failure)
        case .createZone: .zoneFailed(failure)
        case .reconcile: .reconcileFailed(failure)
        case .send(let number): .operationFailed(number, memberCount: memberCount(of: number), failure)
        default: .pullFailed(failure)
        }
    }

    private func memberCount(of operation: Int64) -> Int {
        do { return try session?.store.frozenOperation(operation)?.memberCount ?? 0 } catch { return 0 }
    }

    func storeFailure(_ error: any Error) -> SyncEvent {
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

    private func carryOut(_ effect: SyncEffect) async throws -> SyncEvent? {
        guard let journal = session?.journal, let store = session?.store else { return nil }
        switch effect {
        case .identify: return try await identify(store)
        case .createZone:
            try await client.createZone(journal.zone)
            return .zoneReady
        case .pullPage: return try await pullPage(journal)
        case .finishFeed:
            report(try journal.finishFeed(latestStamp: latestStamp))
            return try journal.beginRefetch() ? .beganFullFetch : .finishedFeed
        case .beginFullFetch(let reason):
            log(.notice("account \(name): fetching everything again (\(reason == .tokenExpired ? "token expired" : "the service lost its memory"))"))
            try journal.beginFullFetch(reason)
            return .beganFullFetch
        case .reconcile: return try await reconcile(journal)
        case .freeze(let count, let limits):
            let bound = clockOffset == nil ? nil : latestStamp
            return .froze(try journal.freeze(count, limits: limits, at: milliseconds, latestStamp: bound) { UUID() }.map(\.number))
        case .send(let number): return try await send(number, journal)
        case .thaw(let number, let reconciling):
            try store.thaw(number, reconciling: reconciling)
            return .thawed(reconciling: reconciling)
        case .setAside(let number, let reason):
            try store.settle(number, store.members(of: number).map { ($0.name, .setAside(reason: reason)) })
            return nil
        case .wake(let time):
            try await Task.sleep(for: .milliseconds(max(0, time - milliseconds)))
            return .woke
        }
    }

    private func note(serviceTime: Int64?) { if let serviceTime { clockOffset = serviceTime - milliseconds } }

    private func identify(_ store: Store) async throws -> SyncEvent {
        let answer = try await client.caller()
        note(serviceTime: answer.serviceTime)
        let found = answer.value.userRecordName
        if let expected = try store.syncValue(.user)?.text {
            guard expected == found else { return .accountChanged(expected: expected, found: found) }
        } else {
            try store.setSyncValue(.text(found), for: .user)
        }
        let epoch = try store.syncValue(.epoch)?.text
        let isChanged = epoch != nil && answer.value.epoch != nil && epoch != answer.value.epoch?.text
        if isChanged, let current = answer.value.epoch { try store.setSyncValue(.text(current.text), for: .epoch) }
        return .identified(epochChanged: isChanged, limits: answer.value.limits)
    }

    private func pullPage(_ journal: SyncJournal) async throws -> SyncEvent {
        let epoch = try journal.store.syncValue(.epoch)?.text.flatMap(Epoch.init(text:))
        let answer = try await client.changes(in: journal.zone, after: journal.token, epoch: epoch)
        note(serviceTime: answer.serviceTime)
        let page = answer.value.changes
        report(try journal.apply(page, epoch: answer.value.epoch, latestStamp: latestStamp))
        return .appliedPage(moreComing: page.moreComing, recordCount: page.records.count)
    }

    private static let lookupCount = 200

    private func reconcile(_ journal: SyncJournal) async throws -> SyncEvent {
        let names = try journal.store.recordsToReconcile(limit: Self.lookupCount)
        guard !names.isEmpty else { return .reconciled(remaining: false, needsPull: false) }
        let spellings = try names.map { try journal.store.recordState(of: $0)?.wireName ?? $0.text }
        let answer = try await client.lookup(spellings, in: journal.zone)
        note(serviceTime: answer.serviceTime)
        let summary = try journal.reconcile(answer.value, latestStamp: latestStamp)
        report(summary)
        if summary.refusedCount > 0 { return .reconcileFailed(.throttled(retryAfter: nil)) }
        return .reconciled(remaining: try !journal.store.recordsToReconcile(limit: 1).isEmpty, needsPull: summary.needsPull)
    }

    private func send(_ number: Int64, _ journal: SyncJournal) async throws -> SyncEvent? {
        guard let operation = try journal.store.frozenOperation(number) else { return .answered(number, OutcomeSummary()) }
        guard !journal.mayBeForgotten(operation, at: milliseconds) else { throw RequestFailure.operationUnknown }
        let answer = try await client.modify(operation.body, operation: operation.id)
        note(serviceTime: answer.serviceTime)
        let retry = RetryTimes(now: milliseconds, standard: milliseconds + Self.passingRefusalDelay)
        let summary = try journal.record(answer.value, of: number, retry: retry)
        if summary.setAsideCount > 0 {
            log(.warning("account \(name): the service refused \(summary.setAsideCount) records for good; see `sluice status`"))
        }
        return .answered(number, summary)
    }

    /// Milliseconds before a record that was refused for the moment, without a time of its own, is sent again.
    private static let passingRefusalDelay: Int64 = 2_000

    private func report(_ summary: PageSummary) {
        guard summary.appliedCount + summary.deletedCount > 0 else { return }
        log(
            .info(
                "account \(name): pulled \(summary.appliedCount) records and \(summary.deletedCount) deletions, "
                    + "\(summary.conflictCount) fields in conflict, \(summary.inboxCount) records wait"))
        projectChanges()
    }
}
